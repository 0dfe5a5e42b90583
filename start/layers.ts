/** A part of core: what it is about, and the wings whose values it may import. */
interface Wing {
  readonly what: string
  readonly uses: readonly string[]
}

/** In the order in which they build on each other. Two wings never import each other's values. */
export const wings: Readonly<Record<string, Wing>> = {
  process: { what: 'what every wing needs of its process: database, jobs, calls to other systems, limits', uses: [] },
  records: { what: 'statements, documents, attachments, followers, cells, retention', uses: ['process'] },
  analytics: {
    what: 'what is counted from statements: charts, answers, plays, learners',
    uses: ['process', 'records'],
  },
  accounts: {
    what: 'sign-in, studios and their members, mail and notices, the audit log, own data of learners; next: schools',
    uses: ['process', 'records', 'analytics'],
  },
  games: {
    what: 'the life of a game, uploads and builds, play, sandboxes, classes; next: lessons',
    uses: ['process', 'records', 'analytics', 'accounts'],
  },
  connections: {
    what: 'forwards, webhooks, exports, imports, learning platforms over LTI; next: sinks',
    uses: ['process', 'records', 'analytics', 'accounts', 'games'],
  },
  rpc: {
    what: 'how calls come in: ports, guards, the relay of gateways, the services of operators',
    uses: ['process', 'records', 'analytics', 'accounts', 'games', 'connections'],
  },
}

interface Layer {
  readonly what: string
  /** Layers of this and other wings whose values it may import, beside its own. */
  readonly uses: readonly string[]
  /** It also takes no types of other layers. */
  readonly pure?: true
  /** It does no I/O. */
  readonly still?: true
  /** It knows messages of the contract. */
  readonly gen?: true
  /** It has SQL. */
  readonly sql?: true
}

/** The folders of a wing, by name. A file beside them belongs to no layer: all may use it. */
export const layers: Readonly<Record<string, Layer>> = {
  xapi: {
    what: 'the rules of xAPI: parse, validate, prepare, format, merge, identify',
    uses: [],
    pure: true,
    still: true,
  },
  rules: {
    what: 'other rules: texts, addresses, roles, the life of a game, sums',
    uses: ['xapi'],
    pure: true,
    still: true,
  },
  concurrency: {
    what:
      'how many jobs run at a time, and who comes next: `slots.ts` refuses beyond a number; in `fair-queue.ts` the ' +
      'owner who has used the least time comes next; `batcher.ts` sends calls to the database in groups',
    uses: [],
    pure: true,
    still: true,
  },
  outgoing: {
    what: 'calls to other systems, in a thread of their own, only to addresses that are public or allowed',
    uses: ['concurrency'],
    pure: true,
  },
  jobs: { what: 'work beside calls: one loop, one back-off, one lease', uses: [] },
  config: { what: 'the settings of the process: the only place that reads the environment', uses: ['outgoing'] },
  limits: { what: 'windows of request limits, bytes of learners, slots for streams', uses: ['concurrency'] },
  metrics: { what: 'what Prometheus reads', uses: [] },
  database: {
    what:
      'one connection pool, its proof and its watchdog; `functions/`, each SQL function in a file; `migrations/`; ' +
      '`schema.sql`, the result, to read; `look.ts` ties a query to one index',
    uses: [],
    pure: true,
    sql: true,
  },
  methods: { what: 'how a method is declared, and how calls fail', uses: ['rules'], gen: true },
  worker: {
    what: 'two threads: pure functions that would hold up core’s own thread, usual batches apart from what may take long',
    uses: ['xapi', 'concurrency'],
    pure: true,
    gen: true,
  },
  export: {
    what: 'files of statements: columns, CSV, Parquet, pseudonyms, in a thread for each file',
    uses: ['xapi', 'concurrency'],
    pure: true,
  },
  package: {
    what: 'what is uploaded is checked and unpacked, builds in a thread of their own',
    uses: ['rules', 'concurrency'],
    pure: true,
  },
  store: {
    what: 'all SQL, a file for each group of tables; in `store/cell/` that of a cell, else that of the directory',
    uses: ['rules', 'xapi', 'concurrency', 'database'],
    sql: true,
  },
  cells: {
    what: 'several cells as one store ([ADR 19](adr/0019-cells.md))',
    uses: ['rules', 'store', 'database', 'concurrency'],
    sql: true,
  },
  access: {
    what: 'who calls, and what each caller may reach',
    uses: ['rules', 'xapi', 'concurrency', 'config', 'database'],
  },
  notices: { what: 'notices to accounts: texts, the header, the queue of mails', uses: ['jobs', 'outgoing'] },
  command: {
    what: 'what can be done; knows no query',
    uses: ['rules', 'xapi', 'concurrency', 'jobs', 'store', 'access', 'notices', 'package'],
  },
  query: {
    what: 'what can be asked; knows no command',
    uses: ['rules', 'xapi', 'concurrency', 'config', 'database', 'worker', 'export', 'store', 'access'],
  },
  delivery: {
    what: 'what goes to other systems beside calls: forwards, webhooks, exported files',
    uses: ['rules', 'xapi', 'concurrency', 'jobs', 'outgoing', 'export', 'access', 'notices', 'command', 'query'],
  },
  calls: {
    what: 'the calls of games: each declared once, authenticated, counted, run',
    uses: ['xapi', 'access', 'methods'],
    gen: true,
  },
  service: {
    what: 'handlers of calls, a file for each service',
    uses: ['rules', 'xapi', 'concurrency', 'worker', 'access', 'command', 'query', 'delivery', 'calls', 'methods'],
    gen: true,
  },
}

/** Files of core beside the wings: they wire them, and wings take only types of them. */
export const wiring = ['core.ts', 'context.ts', 'store.ts', 'base.ts', 'main.ts', 'migrate.ts']

/** What is in a folder, and the folders beside it that it may import. */
interface Room {
  readonly what: string
  readonly uses: readonly string[]
}

/** The folders of portal/. */
export const portalRooms: Readonly<Record<string, Room>> = {
  web: {
    what:
      '`routes.ts`: how a page is made; `visit.ts`: sessions, CSRF; cookies, headers, the client of core; `live-streams.ts`, events ' +
      'to open pages',
    uses: [],
  },
  charts: { what: 'drawings', uses: ['web'] },
  guides: { what: 'the docs: Markdown files of this repository as pages, with a search', uses: ['web'] },
  pages: { what: 'pure functions of HTML', uses: ['web', 'charts', 'guides'] },
  routes: { what: 'addresses, and what happens there', uses: ['web', 'charts', 'guides', 'pages'] },
  assistant: {
    what: 'tools for assistants (MCP): charts and guides as text',
    uses: ['web', 'charts', 'guides', 'pages', 'routes'],
  },
}

/** Files of portal/ beside its folders. */
export const portalWiring = ['app.ts', 'config.ts', 'main.ts']

/** The folders of portal/pages and portal/routes: the wings of core, what they share, and two that are of no wing. */
export const portalWings: Readonly<Record<string, Room>> = {
  parts: { what: 'what wings share: the frame of a page, forms, tables, filters, the game of the address', uses: [] },
  docs: { what: 'the guides', uses: ['parts'] },
  operator: { what: 'the frame of the pages for those who run the service; its state', uses: ['parts'] },
  records: { what: 'statements, retention, own data of learners', uses: ['parts'] },
  analytics: { what: 'charts, learners', uses: ['parts', 'records'] },
  accounts: {
    what: 'sign-in, accounts, studios and members, the audit log; the operator’s pages of them',
    uses: ['parts', 'operator'],
  },
  games: { what: 'the life of a game, uploads and builds, play, the sandbox, classes, reviews', uses: ['parts'] },
  connections: {
    what: 'forwards, webhooks, files of statements, learning platforms',
    uses: ['parts', 'operator', 'records', 'games'],
  },
}
