const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)

/** Texts that are refused, with what the problem says. */
export const refused: { name: string; bytes: string | number[]; path?: string; what: RegExp }[] = [
  { name: 'nothing', bytes: '', what: /valid JSON/ },
  { name: 'truncated object', bytes: '{"a":1', what: /valid JSON/ },
  { name: 'truncated string', bytes: '"abc', what: /valid JSON/ },
  { name: 'backslash at the end', bytes: '"abc\\', what: /valid JSON/ },
  { name: 'two values', bytes: '{} {}', what: /valid JSON/ },
  { name: 'trailing comma', bytes: '[1,]', what: /valid JSON/ },
  { name: 'single quotes', bytes: "{'a':1}", what: /valid JSON/ },
  { name: 'comment', bytes: '/**/{}', what: /valid JSON/ },
  { name: 'leading zero', bytes: '01', what: /valid JSON/ },
  { name: 'NaN', bytes: 'NaN', what: /valid JSON/ },
  { name: 'raw control character in a string', bytes: '"\u0001"', what: /valid JSON/ },
  { name: 'byte order mark', bytes: [0xef, 0xbb, 0xbf, 0x7b, 0x7d], what: /byte order mark/ },
  { name: 'UTF-16', bytes: [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00], what: /UTF-8/ },
  { name: 'overlong UTF-8', bytes: [0x22, 0xc0, 0xaf, 0x22], what: /UTF-8/ },
  { name: 'a surrogate in UTF-8', bytes: [0x22, 0xed, 0xa0, 0x80, 0x22], what: /UTF-8/ },
  { name: 'cut UTF-8', bytes: [0x22, 0xe2, 0x82, 0x22], what: /UTF-8/ },
  { name: 'depth 65 of arrays', bytes: deep('[', ']', 65), what: /at most 64 levels/ },
  { name: 'depth 65 of objects', bytes: `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, what: /at most 64 levels/ },
  { name: 'a million brackets', bytes: '['.repeat(1_000_000), what: /at most 64 levels/ },
  { name: 'the same key twice', bytes: '{"a":1,"a":1}', path: 'a', what: /only once/ },
  { name: 'the same key spelled in two ways', bytes: '{"\\u0061ctor":1,"actor":2}', path: 'actor', what: /only once/ },
  { name: '__proto__ twice', bytes: '{"a":{"__proto__":1,"__proto__":2}}', path: 'a["__proto__"]', what: /only once/ },
  { name: 'an empty key twice', bytes: '{"":1,"":2}', path: '[""]', what: /only once/ },
  { name: 'an index as key twice', bytes: '{"0":1,"b":2,"0":3}', path: '["0"]', what: /only once/ },
  {
    name: 'twice further in',
    bytes: '[{"a":[1,{"b":0}]},{"a":[[],{"b":1,"c":{},"b":2}]}]',
    path: 'list[1].a[1].b',
    what: /only once/,
  },
  {
    name: 'a key that is an IRI twice',
    bytes: '{"x":{"http://a.b/c":1,"http://a.b/c":2}}',
    path: 'x["http://a.b/c"]',
    what: /only once/,
  },
]

/** Texts that are accepted. */
export const accepted: { name: string; text: string }[] = [
  { name: 'an object', text: '{"a":1}' },
  { name: 'white space around', text: ' \r\n\t{"a" : [ 1 , 2 ] }\n' },
  { name: 'a scalar', text: '1e400' },
  { name: 'colons and brackets in strings', text: '{"a:b":"c:{[\\":","d":":\\\\"}' },
  { name: 'the same key in different objects', text: '{"a":{"a":{"a":[{"a":1},{"a":1}]}}}' },
  { name: '__proto__ and constructor', text: '{"__proto__":{"x":1},"constructor":{"__proto__":null}}' },
  { name: 'NUL and lone surrogates, escaped', text: '["\\u0000","\\ud800","\\udc00\\ud800"]' },
  { name: 'U+2028 as it is', text: '["\u2028\u2029"]' },
  { name: 'depth 64', text: deep('[', ']', 64) },
  { name: 'brackets in a string', text: `"${'['.repeat(100)}"` },
]
