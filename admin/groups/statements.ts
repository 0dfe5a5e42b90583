import { InvalidArgumentError, Option, type Command } from 'commander'
import type { Act } from '../session.ts'
import { examples } from './examples.ts'

const count =
  (least: number) =>
  (text: string): number => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text)
    throw new InvalidArgumentError(`It must be a whole number of ${least} or more.`)
  }

const ofGame = (command: Command): Command =>
  command
    .option('--game <game>', 'id or slug of the game')
    .option('--key <key>', 'or the key of a credential; its scopes limit what you see')

const filtered = (command: Command): Command =>
  command
    .option('--agent <agent>', 'JSON, an e-mail address, or homePage|name')
    .option('--verb <iri>', 'IRI of the verb')
    .option('--activity <iri>', 'IRI of the activity')
    .option('--registration <uuid>', 'registration of the session')

const timed = (command: Command): Command =>
  command.option('--since <time>', 'stored after this (ISO 8601)').option('--until <time>', 'stored until this')

const related = (command: Command): Command =>
  command
    .option('--related-agents', 'find the agent anywhere in a statement')
    .option('--related-activities', 'find the activity anywhere in a statement')

const presented = (command: Command): Command =>
  command
    .addOption(
      new Option('--format <format>', 'format of each statement, as in xAPI').choices(['exact', 'ids', 'canonical']),
    )
    .option('--language <languages>', 'languages for canonical, as in Accept-Language')

export function statements(program: Command, act: Act): void {
  const group = program.command('statements').description('query, follow, export and import statements')
  presented(timed(related(filtered(ofGame(group.command('query').description('list statements, the newest first'))))))
    .option('--ascending', 'list the oldest first')
    .option('--limit <n>', 'number of statements', count(1), 50)
    .option('--all', 'list all that match')
    .option('--id <uuid>', 'show one statement')
    .option('--voided-id <uuid>', 'show one voided statement')
    .addHelpText(
      'after',
      `\nWith --json, each statement is one line, byte for byte as stored.\n${examples(
        'statements query --game chess --agent ann@example.org --since 2026-11-01T00:00:00Z',
        'statements query --game chess --verb http://adlnet.gov/expapi/verbs/completed --all --json | jq .result.score',
      )}`,
    )
    .action(act(async () => (await import('../commands/query-statements.ts')).queryStatements))

  presented(
    filtered(ofGame(group.command('tail').description('print the last statements, then each new one, until Ctrl-C'))),
  )
    .option('-n, --last <n>', 'number of statements to begin with', count(0), 10)
    .option('--since <time>', 'begin with all stored after this time (ISO 8601) instead')
    .addHelpText(
      'after',
      examples('statements tail --game chess', 'statements tail --game chess --since 2026-11-21T08:00:00Z --json'),
    )
    .action(act(async () => (await import('../commands/tail-statements.ts')).tailStatements))

  timed(
    related(
      filtered(
        ofGame(group.command('export').description('write all that match, the oldest first, to a file or to stdout')),
      ),
    ),
  )
    .option('--out <file>', 'file to write (default: stdout)')
    .addOption(
      new Option('--format <form>', 'format of the file')
        .choices(['ndjson', 'csv', 'json', 'parquet'])
        .default('ndjson'),
    )
    .addOption(new Option('--as <form>', 'older name of --format').choices(['ndjson', 'csv']).hideHelp())
    .option('--to <folder>', 'with --format parquet: a file for each UTC day; run it again later to add new ones')
    .option('--columns <paths>', 'other columns of the CSV, such as result.score.raw,context.extensions[https://…]')
    .option('--extensions <iris>', 'columns for these extensions, in CSV and Parquet')
    .option('--language <languages>', 'languages of names in CSV and Parquet, as in Accept-Language')
    .option('--bom', 'begin a CSV with a byte order mark, for spreadsheets')
    .addOption(
      new Option('--pseudonyms [of]', 'replace what tells who learners are: new pseudonyms, or those of the game')
        .choices(['export', 'game'])
        .preset('export'),
    )
    .option('--bare', 'with --pseudonyms: leave out responses and extensions, too')
    .option('--gzip', 'compress')
    .option('--resume', 'continue where <file>.state.json says; run it again later to add new statements')
    .option('--force', 'overwrite the file')
    .option('--attachments <folder>', 'also write the contents of attachments to this folder, named by their hash')
    .addHelpText(
      'after',
      examples(
        'statements export --game chess --out chess.ndjson.gz --gzip',
        'statements export --game chess --out chess.ndjson.gz --gzip --resume',
        'statements export --game chess --format csv --out chess.csv',
        'statements export --game chess --format csv --columns actor.account.name,verb.id,result.score.scaled ' +
          '--out chess.csv',
        'statements export --game chess --format parquet --to chess --pseudonyms game',
      ),
    )
    .action(act(async () => (await import('../commands/export-statements.ts')).exportStatements))

  timed(
    filtered(
      ofGame(
        group
          .command('import')
          .argument('[file]', 'NDJSON or a JSON array, gzip or not; - is stdin')
          .description('import statements unchanged, from a file or from another store'),
      ),
    ),
  )
    .option('--from <url>', 'xAPI endpoint of the other store')
    .option('--auth <key:secret>', 'key and secret of the other store (safer: LRS_IMPORT_AUTH)')
    .option('--xapi-version <version>', 'xAPI version of the other store', '1.0.3')
    .option('--state <file>', 'file that keeps the position (default with --from: games-lrs-import-….json)')
    .option('--rejects <file>', 'write refused statements to this file, and continue')
    .option('--attachments <folder>', 'folder with contents of attachments, named by their hash (with a file)')
    .option('--no-attachments', 'import without the contents of attachments')
    .addHelpText(
      'after',
      `\nStatements that are stored already are skipped, so you can run the same import again: it continues after an
interruption, and later it imports only new statements. The other store applies the filters.\n${examples(
        'statements import --game chess chess.ndjson.gz',
        'statements import --game chess --from https://lrs.example.org/xapi --auth key:secret',
        'statements import --game chess --from https://lrs.example.org/xapi --since 2026-01-01T00:00:00Z --rejects ' +
          'refused.ndjson',
      )}`,
    )
    .action(act(async () => (await import('../commands/import-statements.ts')).importStatements))
}
