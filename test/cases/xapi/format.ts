/** Stored statements and what the formats make of them; `canonical` for Accept-Language `de`. */
export const formats: { name: string; exact: string; canonical?: string; ids?: string }[] = [
  {
    name: 'nothing to leave out',
    exact: '{"actor":{"mbox":"mailto:a@b.c"},"verb":{"id":"v:v"},"object":{"id":"o:o"},"id":"1"}',
  },
  {
    name: 'verb and activity',
    exact:
      '{"actor":{"objectType":"Agent","name":"A","mbox":"mailto:a@b.c"},"verb":{"id":"v:v","display":{"en":"did", "de":"tat"}},' +
      '"object":{"objectType":"Activity","id":"o:o","definition":{"name":{"en":"n","de":"N"},"description":{"fr":"d","en":"e"},' +
      '"type":"t:t","extensions":{"x:y":{"en":1,"de":1e400}}}},"result":{"score":{"raw":-0.0}}}',
    canonical:
      '{"actor":{"objectType":"Agent","name":"A","mbox":"mailto:a@b.c"},"verb":{"id":"v:v","display":{"de":"tat"}},' +
      '"object":{"objectType":"Activity","id":"o:o","definition":{"name":{"de":"N"},"description":{"fr":"d"},' +
      '"type":"t:t","extensions":{"x:y":{"en":1,"de":1e400}}}},"result":{"score":{"raw":-0.0}}}',
    ids:
      '{"actor":{"objectType":"Agent","mbox":"mailto:a@b.c"},"verb":{"id":"v:v"},' +
      '"object":{"id":"o:o"},"result":{"score":{"raw":-0.0}}}',
  },
  {
    name: 'interaction components',
    exact:
      '{"object":{"id":"o:o","definition":{"choices":[{"id":"1","description":{"en":"x","de":"y"}},{"id":"2"}],' +
      '"steps":[{"description":{"de":"y","en":"x"},"id":"3"}]}}}',
    canonical:
      '{"object":{"id":"o:o","definition":{"choices":[{"id":"1","description":{"de":"y"}},{"id":"2"}],' +
      '"steps":[{"description":{"de":"y"},"id":"3"}]}}}',
    ids: '{"object":{"id":"o:o"}}',
  },
  {
    name: 'context and authority',
    exact:
      '{"context":{"instructor":{"name":"I","openid":"i:i"},"team":{"objectType":"Group","name":"T","member":[{"name":"M","mbox":"mailto:m@b.c"}]},' +
      '"contextActivities":{"parent":[{"id":"p:p","definition":{"name":{"en":"p","de":"P"}}}],"other":[]},' +
      '"contextAgents":[{"objectType":"contextAgent","agent":{"name":"C","mbox":"mailto:c@b.c"},"relevantTypes":["r:r"]}]},' +
      '"authority":{"objectType":"Group","member":[{"name":"x","account":{"homePage":"h:h","name":"n"}},{"mbox":"mailto:y@b.c","name":"y"}]}}',
    canonical:
      '{"context":{"instructor":{"name":"I","openid":"i:i"},"team":{"objectType":"Group","name":"T","member":[{"name":"M","mbox":"mailto:m@b.c"}]},' +
      '"contextActivities":{"parent":[{"id":"p:p","definition":{"name":{"de":"P"}}}],"other":[]},' +
      '"contextAgents":[{"objectType":"contextAgent","agent":{"name":"C","mbox":"mailto:c@b.c"},"relevantTypes":["r:r"]}]},' +
      '"authority":{"objectType":"Group","member":[{"name":"x","account":{"homePage":"h:h","name":"n"}},{"mbox":"mailto:y@b.c","name":"y"}]}}',
    ids:
      '{"context":{"instructor":{"openid":"i:i"},"team":{"objectType":"Group","member":[{"mbox":"mailto:m@b.c"}]},' +
      '"contextActivities":{"parent":[{"id":"p:p"}],"other":[]},' +
      '"contextAgents":[{"objectType":"contextAgent","agent":{"mbox":"mailto:c@b.c"},"relevantTypes":["r:r"]}]},' +
      '"authority":{"objectType":"Group","member":[{"account":{"homePage":"h:h","name":"n"}},{"mbox":"mailto:y@b.c"}]}}',
  },
  {
    name: 'an identified Group as object',
    exact: '{"object":{"objectType":"Group","member":[{"mbox":"mailto:m@b.c"}],"name":"G","mbox_sha1sum":"ab"}}',
    ids: '{"object":{"objectType":"Group","mbox_sha1sum":"ab"}}',
  },
  {
    name: 'a StatementRef',
    exact: '{"object":{"objectType":"StatementRef","id":"1"}}',
  },
  {
    name: 'a SubStatement',
    exact:
      '{"object":{"object":{"id":"o:o","definition":{"name":{"de":"N","en":"n"}}},"verb":{"display":{"en":"did","de":"tat"},"id":"v:v"},' +
      '"context":{"contextActivities":{"category":[{"id":"c:c","definition":{}}]}},"objectType":"SubStatement","actor":{"name":"A","mbox":"mailto:a@b.c"}}}',
    canonical:
      '{"object":{"object":{"id":"o:o","definition":{"name":{"de":"N"}}},"verb":{"display":{"de":"tat"},"id":"v:v"},' +
      '"context":{"contextActivities":{"category":[{"id":"c:c","definition":{}}]}},"objectType":"SubStatement","actor":{"name":"A","mbox":"mailto:a@b.c"}}}',
    ids:
      '{"object":{"object":{"id":"o:o"},"verb":{"id":"v:v"},' +
      '"context":{"contextActivities":{"category":[{"id":"c:c"}]}},"objectType":"SubStatement","actor":{"mbox":"mailto:a@b.c"}}}',
  },
  {
    name: 'what is hostile stays data',
    exact:
      '{"__proto__":{"actor":1},"verb":{"id":"v:v","display":{"__proto__":"\\u0000","constructor":"\\ud800"}},"object":{"id":"o:o"}}',
    canonical: '{"__proto__":{"actor":1},"verb":{"id":"v:v","display":{"__proto__":"\\u0000"}},"object":{"id":"o:o"}}',
    ids: '{"__proto__":{"actor":1},"verb":{"id":"v:v"},"object":{"id":"o:o"}}',
  },
]
