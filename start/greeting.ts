import { randomUUID } from 'node:crypto'
import { usualDataDir, type Config } from './config.ts'
import type { DemoCredential } from './secrets.ts'

/** The text that `npm start` prints once everything serves: the credential and two commands to try it. */
export function greeting(config: Config, demo: DemoCredential, isNew: boolean): string {
  const base = `http://localhost:${config.gatewayPort}/xapi`
  const secret = isNew ? demo.secret! : config.bootstrapSecret === undefined ? 'SECRET' : '$LRS_BOOTSTRAP_SECRET'
  const curl = `curl -u "${shellSafe(demo.key)}:${secret}" -H "X-Experience-API-Version: 1.0.3"`
  const statement = {
    id: randomUUID(),
    actor: { account: { homePage: 'https://games.example', name: 'player-1' } },
    verb: { id: 'http://adlnet.gov/expapi/verbs/completed', display: { en: 'completed' } },
    object: { id: 'https://games.example/demo/level-1' },
  }
  return `
The demo game's credential
  key     ${demo.key}
  secret  ${secretLine(config, demo, isNew)}

Store a statement:
${curl} -H "Content-Type: application/json" -d '${JSON.stringify(statement)}' ${base}/statements

Read it back:
${curl} "${base}/statements?statementId=${statement.id}"

${ending(config)}`
}

/** The same if the store had games already, so that core made no demo game. */
export function greetingOfGames(config: Config): string {
  return `
The store has games already, so no demo game was made: use one of their credentials.
xAPI is served at http://localhost:${config.gatewayPort}/xapi

${ending(config)}`
}

function ending({ dataDir, portalPort, tenancy }: Config): string {
  const where =
    dataDir === usualDataDir
      ? ''
      : `LRS_DATA_DIR=${/^[\w./-]+$/.test(dataDir) ? dataDir : `'${dataDir.replaceAll("'", `'\\''`)}'`} `
  const command = `${where}./games-lrs accounts reviewer <e-mail>`
  return `Studios sign up at http://localhost:${portalPort}; this lets one of them review games: ${command}
${names[tenancy]}
Ctrl-C stops everything. Logs are in ${dataDir}/logs.\n`
}

/** Explains the value of LRS_TENANCY, since it should be chosen before the first learner comes. */
const names = {
  shared:
    "Learners' names and agent profiles are shared by all games, as the interface says; " +
    "LRS_TENANCY=isolated keeps each game's to itself (docs/operating.md).",
  isolated: 'Each game knows only its own learners, their names and agent profiles (LRS_TENANCY=isolated).',
}

function secretLine(config: Config, demo: DemoCredential, isNew: boolean): string {
  if (isNew) return `${demo.secret}  (shown only once)`
  if (config.bootstrapSecret !== undefined) return 'the value of LRS_BOOTSTRAP_SECRET'
  return 'was shown at the first start (docs/services.md says how to get another one)'
}

function shellSafe(text: string): string {
  return text.replace(/[\\"$`]/g, '\\$&')
}
