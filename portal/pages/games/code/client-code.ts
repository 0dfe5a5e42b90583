/** Sample code that runs without changes, with the credential filled in. */
export interface Sample {
  readonly name: string
  readonly code: string
}

interface Access {
  /** With a slash at its end. */
  readonly endpoint: string
  readonly key: string
  readonly secret: string
  /** IRI of the game as an activity. */
  readonly activity: string
}

const text = (value: string): string => JSON.stringify(value)
const shell = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`

/** As Python writes it. */
const python = (value: object): string => JSON.stringify(value).replaceAll(/\btrue\b/g, 'True')

/** A first statement, in the languages in which games and their servers are written. */
export function samples({ endpoint, key, secret, activity }: Access): Sample[] {
  const actor = `{ account: { homePage: ${text(new URL(endpoint).origin)}, name: 'player-1' } }`
  const verb = `{ id: 'http://adlnet.gov/expapi/verbs/completed', display: { en: 'completed' } }`
  const object = `{ id: ${text(`${activity}/level-1`)}, definition: { name: { en: 'Level 1' } } }`
  const statement = (indent: string) => `{
${indent}  id: crypto.randomUUID(), // so that sending it again stores it once
${indent}  actor: ${actor},
${indent}  verb: ${verb},
${indent}  object: ${object},
${indent}  result: { completion: true, score: { scaled: 0.8 } },
${indent}}`
  const fields = Object.entries({
    actor: { account: { homePage: new URL(endpoint).origin, name: 'player-1' } },
    verb: { id: 'http://adlnet.gov/expapi/verbs/completed', display: { en: 'completed' } },
    object: { id: `${activity}/level-1`, definition: { name: { en: 'Level 1' } } },
    result: { completion: true, score: { scaled: 0.8 } },
  })
  const asJson = `{\n${fields.map(([name, value]) => `  ${text(name)}: ${JSON.stringify(value)}`).join(',\n')}\n}`
  return [
    {
      name: 'curl',
      code: `# is the credential accepted? This prints 200 if it is
curl -sS -o /dev/null -w '%{http_code}\\n' -u ${shell(`${key}:${secret}`)} -H 'X-Experience-API-Version: 1.0.3' \\
  ${shell(`${endpoint}statements?limit=1`)}

# a first statement; the answer is its id
curl -sS -u ${shell(`${key}:${secret}`)} -H 'X-Experience-API-Version: 1.0.3' \\
  -H 'Content-Type: application/json' ${shell(`${endpoint}statements`)} -d ${shell(asJson)}`,
    },
    {
      name: 'fetch',
      code: `const response = await fetch(${text(`${endpoint}statements`)}, {
  method: 'POST',
  headers: {
    Authorization: 'Basic ' + btoa(${text(`${key}:${secret}`)}),
    'X-Experience-API-Version': '1.0.3',
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${statement('  ')}),
})
console.log(response.status, await response.text())`,
    },
    {
      name: 'Python',
      code: `import base64, json, urllib.request, uuid

statement = {
    "id": str(uuid.uuid4()),  # so that sending it again stores it once
${fields.map(([name, value]) => `    ${text(name)}: ${python(value)},`).join('\n')}
}
request = urllib.request.Request(
    ${text(`${endpoint}statements`)},
    data=json.dumps([statement]).encode(),
    headers={
        "Authorization": "Basic " + base64.b64encode(${text(`${key}:${secret}`)}.encode()).decode(),
        "X-Experience-API-Version": "1.0.3",
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    print(response.status, response.read().decode())`,
    },
    {
      name: 'games-lrs, the client of this service',
      code: `// in the player and the sandbox connect() needs no options: there the game gets a launch context
import { basic, connect } from './games-lrs.js'

const lrs = await connect({
  launch: {
    endpoint: ${text(endpoint)},
    auth: basic(${text(key)}, ${text(secret)}), // on a server only
    actor: ${actor},
    activityId: ${text(activity)},
  },
})
await lrs.completed({ id: 'level-1', name: 'Level 1' }, { score: 0.8 })
await lrs.flush()`,
    },
    {
      name: '@xapi/xapi',
      code: `import XAPI from '@xapi/xapi'

const xapi = new XAPI({
  endpoint: ${text(endpoint)},
  auth: XAPI.toBasicAuth(${text(key)}, ${text(secret)}),
  version: '1.0.3',
  adapter: 'fetch',
})
await xapi.sendStatement({ statement: ${statement('')} })`,
    },
    {
      name: 'TinCanJS',
      code: `const lrs = new TinCan.LRS({
  endpoint: ${text(endpoint)},
  username: ${text(key)},
  password: ${text(secret)},
  allowFail: false,
})
lrs.saveStatement(new TinCan.Statement(${statement('')}), {
  callback: (error) => console.log(error === null ? 'stored' : \`refused: \${error}\`),
})`,
    },
  ]
}
