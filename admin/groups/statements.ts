import { InvalidArgumentError, Option, type Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

const count = (least: number) => (text: string): number => {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text)
  throw new InvalidArgumentError(`It has to be a whole number from ${least} on.`)
}

const ofGame = (command: Command): Command =>
  command.option('--game <game>', 'id or slug of the game').option('--key <key>', 'or the key of a credential; what it may read is what is seen')

const filtered = (command: Command): Command =>
  command
    .option('--agent <agent>', 'JSON, an e-mail address, or homePage|name').option('--verb <iri>').option('--activity <iri>').option('--registration <uuid>')

const timed = (command: Command): Command => command.option('--since <time>', 'stored after this (ISO 8601)').option('--until <time>', 'stored until this')

const related = (command: Command): Command =>
  command.option('--related-agents', 'the agent anywhere in the statement').option('--related-activities', 'the activity anywhere in it')

const presented = (command: Command): Command =>
  command
    .addOption(new Option('--format <format>', 'how much of each').choices(['exact', 'ids', 'canonical']))
    .option('--language <languages>', 'for canonical, as in Accept-Language')

export function statements(program: Command, act: Act): void {
  const group = program.command('statements').description('query, follow, export and import')
  presented(timed(related(filtered(ofGame(group.command('query').description('statements, the newest first'))))))
    .option('--ascending', 'the oldest first').option('--limit <n>', 'so many', count(1), 50).option('--all', 'all that match')
    .option('--id <uuid>', 'one statement').option('--voided-id <uuid>', 'one that is voided')
    .addHelpText('after', `\nWith --json each statement is a line, byte for byte as it is stored.\n${examples(
      'statements query --game chess --agent ann@example.org --since 2026-11-01T00:00:00Z',
      'statements query --game chess --verb http://adlnet.gov/expapi/verbs/completed --all --json | jq .result.score',
    )}`)
    .action(act(async () => (await import('../commands/query-statements.ts')).queryStatements))

  presented(filtered(ofGame(group.command('tail').description('the last statements, then each one as it is stored, until Ctrl-C'))))
    .option('-n, --last <n>', 'so many of those that are there', count(0), 10).option('--since <time>', 'instead: all stored after this (ISO 8601)')
    .addHelpText('after', examples('statements tail --game chess', 'statements tail --game chess --since 2026-11-21T08:00:00Z --json'))
    .action(act(async () => (await import('../commands/tail-statements.ts')).tailStatements))

  timed(related(filtered(ofGame(group.command('export').description('all that match, the oldest first, to a file or to stdout')))))
    .option('--out <file>', 'where to').addOption(new Option('--as <form>', 'form of the file').choices(['ndjson', 'csv']).default('ndjson'))
    .option('--columns <paths>', 'of CSV: result.score.raw,context.extensions[https://…]').option('--gzip', 'compress')
    .option('--resume', 'go on where <file>.state.json says; later: add what is new').option('--force', 'overwrite the file')
    .option('--attachments <folder>', 'put contents of attachments there, named by their hash')
    .addHelpText('after', examples(
      'statements export --game chess --out chess.ndjson.gz --gzip',
      'statements export --game chess --out chess.ndjson.gz --gzip --resume',
      'statements export --game chess --as csv --columns actor.account.name,verb.id,object.id,result.score.scaled --out chess.csv',
    ))
    .action(act(async () => (await import('../commands/export-statements.ts')).exportStatements))

  timed(filtered(ofGame(group.command('import').argument('[file]', 'NDJSON or a JSON array, gzip or not; - is stdin').description('take over statements as they are, from a file or from another store'))))
    .option('--from <url>', 'xAPI endpoint of the other store').option('--auth <key:secret>', 'of the other store (better: LRS_IMPORT_AUTH)')
    .option('--xapi-version <version>', 'to speak with it', '1.0.3')
    .option('--state <file>', 'where to keep how far it is (with --from: games-lrs-import-….json)').option('--rejects <file>', 'put what is refused there, and go on')
    .option('--attachments <folder>', 'contents of attachments, named by their hash (of a file)').option('--no-attachments', 'leave contents behind')
    .addHelpText('after', `\nStatements that are there already are skipped, so the same import can be run again: after it broke off it goes on,
later it takes what is new. Filters are those of the other store.\n${examples(
      'statements import --game chess chess.ndjson.gz',
      'statements import --game chess --from https://lrs.example.org/xapi --auth key:secret',
      'statements import --game chess --from https://lrs.example.org/xapi --since 2026-01-01T00:00:00Z --rejects refused.ndjson',
    )}`)
    .action(act(async () => (await import('../commands/import-statements.ts')).importStatements))
}
