import { choice, httpUrl, integer, port, secret, text, type Kind } from './kinds.ts'
import * as own from './own-kinds.ts'

/**
 * Those that read settings, and how docs name them; `files` read builds and files of studios, `uploads` take them, too.
 */
export const readers = {
  start: 'start',
  core: 'core',
  gateway: 'gateway',
  portal: 'portal',
  player: 'player',
  admin: 'admin',
  files: 'core, portal, player',
  uploads: 'core, portal',
  traces: 'core, gateway',
  metrics: 'core, gateway, portal, player',
  callers: 'gateway, portal, player, admin',
} as const
export type Reader = keyof typeof readers

/** One line of the table: code reads by it, docs/settings.md and README.md show it. */
export interface Setting {
  readonly by: readonly Reader[]
  readonly as: Kind<unknown>
  /** The value if it is not set. */
  readonly usual?: unknown
  /** What docs show in place of `usual`. */
  readonly unset?: string
  readonly meaning: string
}

const MiB = 1024 * 1024
const metricsPort = {
  by: ['metrics'],
  as: integer(1, 65_535),
  unset: 'unset: none',
  meaning: 'port of the metrics of the process in its name, for Prometheus, at `/metrics` ([operating](operating.md))',
} as const
const listens = 'where the process in its name listens'
const address = 'the address that the process in its name listens on'
const said = text(/^.{1,500}$/, '500 characters at most, in one line')
const s3Key = secret(/^[\x21-\x7e]{1,200}$/, 'printable ASCII without spaces')

/** Every setting that a process of ours reads. Settings with one meaning are one row of the docs. */
export const table = {
  DATABASE_URL: {
    by: ['start', 'core'],
    as: own.databaseUrl,
    unset: 'unset: Postgres from npm',
    meaning:
      'a Postgres, 15 to 18, `postgres://user:password@host/name`; several servers in the form of libpq: ' +
      '`…@a,b/name?target_session_attrs=primary` ([operating](operating.md#failover))',
  },
  LRS_MIGRATION_DATABASE_URL: {
    by: ['core', 'admin'],
    as: own.databaseUrl,
    unset: 'unset: the role of `DATABASE_URL` owns the tables',
    meaning:
      'the database of `DATABASE_URL` as a role that owns the tables; with it the role of `DATABASE_URL` cannot ' +
      'change or delete entries of the audit log ([operating](operating.md#two-roles))',
  },
  LRS_READ_URLS: {
    by: ['core'],
    as: own.readUrls,
    usual: [] as readonly string[],
    unset: 'unset: none',
    meaning:
      'standbys of the server of `DATABASE_URL`, which answer reads of statements: ' +
      '`postgres://…@b/name,postgres://…@c/name` ([operating](operating.md#reads-from-standbys))',
  },
  LRS_CELL_SERVERS: {
    by: ['core'],
    as: own.cellServers,
    usual: new Map<string, string>(),
    unset: 'unset: none',
    meaning:
      'further Postgres servers for statements, `east=postgres://…,west=postgres://…`, each with its own database ' +
      '([operating](operating.md#cells-on-other-servers))',
  },
  LRS_CELL_SERVERS_FILE: {
    by: ['core'],
    as: text(),
    unset: 'unset: none',
    meaning: 'a file with the value of `LRS_CELL_SERVERS`; core reads it again every 5 s',
  },
  LRS_DATA_DIR: {
    by: ['start', 'admin'],
    as: text(),
    unset: '`./data`, below the project',
    meaning: 'Postgres, secrets and logs',
  },
  GATEWAY_PORT: { by: ['start', 'gateway', 'portal', 'player'], as: port, usual: 8080, meaning: listens },
  PORTAL_PORT: { by: ['start', 'portal'], as: port, usual: 8081, meaning: listens },
  CORE_PORT: { by: ['start', 'core', 'admin'], as: port, usual: 8082, meaning: listens },
  PLAYER_PORT: { by: ['start', 'portal', 'player'], as: port, usual: 8084, meaning: listens },
  LRS_GATEWAYS: {
    by: ['start'],
    as: integer(1, 8),
    unset: 'one for each four processors',
    meaning: 'gateways that `npm start` runs, 1 to 8 ([operating](operating.md#several-processors))',
  },
  LRS_CORES: {
    by: ['start'],
    as: integer(1, 4),
    unset: 'one for each four processors',
    meaning: 'cores that `npm start` runs, 1 to 4',
  },
  GATEWAY_OWN_PORT: {
    by: ['gateway'],
    as: integer(1, 65_535),
    unset: 'unset',
    meaning:
      'a port of 127.0.0.1 at which only this gateway answers; ' +
      'with it several gateways of one machine share `GATEWAY_PORT` (Linux)',
  },
  CORE_RELAY_PORT: {
    by: ['start', 'core'],
    as: port,
    unset: '`CORE_PORT` + 1',
    meaning: 'where gateways reach core',
  },
  GATEWAY_HOST: { by: ['gateway'], as: text(), usual: '0.0.0.0', meaning: address },
  PORTAL_HOST: { by: ['portal'], as: text(), usual: '0.0.0.0', meaning: address },
  PLAYER_HOST: { by: ['player'], as: text(), usual: '0.0.0.0', meaning: address },
  CORE_HOST: { by: ['core'], as: text(), usual: '127.0.0.1', meaning: address },
  CORE_RELAY_URL: {
    by: ['gateway'],
    as: own.relays,
    usual: ['http://127.0.0.1:8083'],
    meaning: 'relay ports of one or more cores, separated by commas; a name may have the addresses of several cores',
  },
  CORE_URL: {
    by: ['portal', 'player', 'admin'],
    as: httpUrl,
    usual: 'http://127.0.0.1:8082',
    meaning: "core's services",
  },
  CORE_TLS_CERT_FILE: {
    by: ['core'],
    as: text(),
    unset: 'unset: no TLS',
    meaning:
      'file of the certificate of core in PEM, with those of its CA but the root; both ports then need TLS ([operating](operating.md#tls-between-processes))',
  },
  CORE_TLS_KEY_FILE: {
    by: ['core'],
    as: text(),
    unset: 'unset',
    meaning: 'file of the private key of that certificate',
  },
  CORE_TLS_CLIENT_CA_FILE: {
    by: ['core'],
    as: text(),
    unset: 'unset: callers need no certificate',
    meaning: 'file of the CA whose certificates callers of core have to show',
  },
  LRS_CORE_CA_FILE: {
    by: ['callers'],
    as: text(),
    unset: 'unset: those that Node trusts',
    meaning: 'file of the CA of the certificate of core, where core is called with https',
  },
  LRS_CORE_NAME: {
    by: ['callers'],
    as: text(/^[a-zA-Z0-9*.-]{1,253}$/, 'a name such as core.example.org'),
    unset: 'the host of the address',
    meaning: 'the name that the certificate of core has to have',
  },
  LRS_CORE_CERT_FILE: {
    by: ['callers'],
    as: text(),
    unset: 'unset: none is shown',
    meaning: 'file of the certificate that this process shows to core, where `CORE_TLS_CLIENT_CA_FILE` is set',
  },
  LRS_CORE_KEY_FILE: {
    by: ['callers'],
    as: text(),
    unset: 'unset',
    meaning: 'file of the private key of that certificate',
  },
  LRS_CORE_URL: {
    by: ['admin'],
    as: httpUrl,
    unset: '`CORE_URL`',
    meaning: "core's services, for the command line; comes before `CORE_URL`",
  },
  LRS_TOKEN: {
    by: ['admin'],
    as: own.token,
    unset: 'unset',
    meaning: 'a personal token ([cli](cli.md#personal-tokens)); comes before `LRS_SERVICE_TOKEN`',
  },
  LRS_PROFILE: {
    by: ['admin'],
    as: text(),
    unset: '`games-lrs/profiles.json` where settings of programs are kept',
    meaning: 'the file of profiles of the command line',
  },
  LRS_IMPORT_AUTH: {
    by: ['admin'],
    as: secret(),
    unset: 'unset',
    meaning: '`key:secret` of the store that `statements import --from` reads ([cli](cli.md))',
  },
  LRS_PORTAL_URL: {
    by: ['core', 'portal', 'admin'],
    as: own.origin(/^https?:\/\/[\w.:[\]-]+\/?$/, 'an origin such as https://studio.example'),
    unset: 'taken from the request',
    meaning: "the portal's own origin; with `https:` its session cookie is Secure; links in mails lead there",
  },
  LRS_OPERATOR_NAME: {
    by: ['core', 'portal'],
    as: said,
    unset: 'unset',
    meaning: 'who runs the service: a person or an organisation, for the imprint and the page on privacy',
  },
  LRS_OPERATOR_ADDRESS: {
    by: ['core', 'portal'],
    as: said,
    unset: 'unset',
    meaning: 'its postal address, parts separated by commas: `School board, Market 1, 12345 Town`',
  },
  LRS_OPERATOR_CONTACT: {
    by: ['core', 'portal'],
    as: said,
    unset: 'unset',
    meaning: 'how people reach it: an e-mail address or phone number; several separated by commas',
  },
  LRS_GAMES_URL: {
    by: ['portal', 'player'],
    as: own.origin(
      /^https?:\/\/(\*\.)?[\w.:[\]-]+\/?$/,
      'an origin such as https://games.example or https://*.games.example',
    ),
    unset: "`PLAYER_PORT` on the portal's host",
    meaning:
      'the origin on which games run; `https://*.games.example`: one for each build, its id in place of `*` ' +
      '([launch](launch.md))',
  },
  LRS_EDGE_SECONDS: {
    by: ['player'],
    as: integer(0, 86_400),
    usual: 600,
    meaning:
      'how long a CDN or proxy cache may keep a file of a published build before it asks again ' +
      '([operating](operating.md#a-cdn-before-the-player))',
  },
  LRS_EDGE_PURGE_URL: {
    by: ['player'],
    as: httpUrl,
    unset: 'unset: none',
    meaning: 'where the player tells a CDN which files to drop, by a POST with `{"tags": [...]}`',
  },
  LRS_EDGE_PURGE_TOKEN: { by: ['player'], as: secret(), unset: 'unset: none', meaning: 'its Bearer token' },
  LRS_XAPI_URL: {
    by: ['portal', 'player', 'admin'],
    as: own.endpoint,
    unset: '`GATEWAY_PORT` on the same host',
    meaning: 'the endpoint that games get and that the portal shows to studios',
  },
  LRS_TRUST_PROXY: {
    by: ['gateway', 'portal', 'player'],
    as: integer(0, 10),
    usual: 0,
    meaning: 'number of trusted proxies in front, whose `X-Forwarded-*` headers count',
  },
  LRS_BOOTSTRAP_KEY: {
    by: ['start', 'core'],
    as: text(/^[\x21-\x39\x3b-\x7e]{1,200}$/, '1 to 200 printable ASCII characters without a colon or spaces'),
    unset: 'generated, printed once',
    meaning: 'the key of a first demo game on an empty store',
  },
  LRS_BOOTSTRAP_SECRET: {
    by: ['start', 'core'],
    as: secret(/^[\x21-\x7e]{1,200}$/, '1 to 200 printable ASCII characters without spaces'),
    unset: 'generated, printed once',
    meaning: 'its secret',
  },
  LRS_RATE_LIMITS: { by: ['core'], as: choice('on', 'off'), usual: 'on', meaning: '`off`: no request limits' },
  LRS_RATE_LIMIT_FACTOR: {
    by: ['core'],
    as: integer(1, 10_000),
    usual: 1,
    meaning: 'multiplies the figures of the request limits, 1 or more',
  },
  LRS_DIALECT: {
    by: ['core', 'gateway'],
    as: choice('games', 'xapi'),
    usual: 'games',
    meaning: '`xapi`: the 1.0.3 standard to the letter where the interface document differs',
  },
  LRS_TENANCY: {
    by: ['start', 'core'],
    as: choice('shared', 'isolated'),
    usual: 'shared',
    meaning:
      '`isolated`: a game knows only its own learners, their names and agent profiles, ' +
      'for studios that do not trust each other ([operating](operating.md#who-learns-the-names-of-learners))',
  },
  LRS_DEFAULT_VERSION: {
    by: ['gateway'],
    as: own.xapiVersion,
    usual: '1.0.3',
    meaning: 'the version header of an answer to a request that has none',
  },
  LRS_AUDIT_DAYS: {
    by: ['core'],
    as: integer(31, 36_500),
    usual: 400,
    meaning: 'days for which the audit log is kept, 31 or more ([audit](audit.md))',
  },
  LRS_BUILD_MAX_EXPANDED: {
    by: ['core'],
    as: integer(MiB, 1024 * 1024 * MiB),
    usual: 4096 * MiB,
    meaning: 'bytes of all files of a browser build, unpacked',
  },
  LRS_CLAMD: {
    by: ['core'],
    as: own.socketAddress,
    unset: 'unset: no scan',
    meaning:
      'where clamd scans uploads for malware: `host:port`, or a socket such as `/run/clamav/clamd.ctl` ' +
      '([operating](operating.md#malware))',
  },
  LRS_STORAGE: {
    by: ['files'],
    as: choice('local', 's3'),
    usual: 'local',
    meaning: 'where builds and files are kept: `local` disk or an `s3` store ([storage](storage.md))',
  },
  LRS_STORAGE_DIR: {
    by: ['files', 'admin'],
    as: text(),
    unset: '`storage` in the data folder',
    meaning: 'the folder of `local`',
  },
  LRS_STORAGE_KEY: {
    by: ['uploads'],
    as: secret(/^[\w-]{43,}$/, '32 random bytes or more in base64url'),
    unset: 'generated by start',
    meaning: 'signs upload addresses of `local`: 32 bytes or more in base64url',
  },
  LRS_S3_ENDPOINT: {
    by: ['files'],
    as: httpUrl,
    unset: 'needed for `s3`',
    meaning: "the store's origin, such as `https://s3.eu-central-1.amazonaws.com`; browsers have to reach it too",
  },
  LRS_S3_BUCKET: {
    by: ['files'],
    as: text(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket: 3 to 63 of a-z, 0-9, . and -'),
    unset: 'needed for `s3`',
    meaning: 'the bucket',
  },
  LRS_S3_REGION: {
    by: ['files'],
    as: text(/^[\w-]{1,64}$/, 'the name of a region, such as us-east-1'),
    usual: 'us-east-1',
    meaning: 'its region',
  },
  LRS_S3_ACCESS_KEY: { by: ['files'], as: s3Key, unset: 'needed for `s3`', meaning: "the account's keys" },
  LRS_S3_SECRET_KEY: { by: ['files'], as: s3Key, unset: 'needed for `s3`', meaning: "the account's keys" },
  LRS_DISK_RESERVE: {
    by: ['start', 'uploads'],
    as: integer(0, 1e15 - 1),
    unset: '512 MiB, or 5 % of a disk below 10 GiB',
    meaning:
      'bytes that stay free on the disk: with less, writes are refused (503) until there is room; ' +
      'reads, signing in and clean-up go on ([reliability](reliability.md)). 0: off',
  },
  LRS_UPLOAD_RESERVE: {
    by: ['uploads'],
    as: integer(0, 1e15 - 1),
    unset: 'four times `LRS_DISK_RESERVE`',
    meaning:
      'bytes that uploads of studios leave free on the disk: with less, uploads are refused (507). ' +
      'At least `LRS_DISK_RESERVE`',
  },
  LRS_ATTACHMENTS_MAX_BYTES: {
    by: ['core', 'gateway'],
    as: integer(MiB, 1024 * MiB),
    usual: 32 * MiB,
    meaning: 'bytes of a whole request with attachments',
  },
  LRS_SMTP_URL: {
    by: ['core'],
    as: secret(),
    unset: 'unset: no mails',
    meaning: 'the mail server, `smtps://user:password@mail.example.org` or `smtp://…:587` ([mail](mail.md))',
  },
  LRS_MAIL_FROM: {
    by: ['core'],
    as: text(),
    unset: 'needed with `LRS_SMTP_URL`',
    meaning: 'the sender of mails, such as `Games LRS <lrs@example.org>`',
  },
  LRS_OUTGOING_ALLOW: {
    by: ['core'],
    as: text(),
    unset: 'unset: public addresses only',
    meaning:
      'networks that calls to other systems may reach although they are private, such as `10.1.0.0/16,fd00::/8`, or ' +
      'one port of them: `10.1.0.0/16:443,[fd00::]/8:443`; to these also without TLS ([security](security.md))',
  },
  LRS_AUTHORITY_HOME: {
    by: ['core'],
    as: text(/^[a-z][a-z0-9+.-]*:\S+$/i, 'an IRI such as https://lrs.example.org'),
    usual: 'https://games-lrs.example',
    meaning: 'homePage of the account in `authority`',
  },
  LRS_DATABASE_CONNECTIONS: {
    by: ['core'],
    as: integer(2, 500),
    usual: 10,
    meaning: 'database connections of one core',
  },
  LRS_RELAY_TIMEOUT_MS: {
    by: ['gateway'],
    as: integer(100, 600_000),
    usual: 10_000,
    meaning: 'milliseconds that core may take to answer',
  },
  LRS_SIGNING_KEY: {
    by: ['start', 'core'],
    as: own.keys('signs'),
    unset: 'generated by start',
    meaning: 'signs launch tokens: 32 bytes or more in base64url; several, separated by commas: the first signs',
  },
  LRS_SECRET_KEYS: {
    by: ['start', 'core'],
    as: own.keys('seals, all open'),
    unset: 'generated by start',
    meaning:
      'seal secrets in the database, such as those of second factors: 32 bytes or more in base64url; several, ' +
      'separated by commas: the first seals, all open ([operating](operating.md#keys-of-sealed-secrets))',
  },
  LRS_SECOND_FACTOR: {
    by: ['core'],
    as: choice('optional', 'staff', 'all'),
    usual: 'optional',
    meaning:
      '`staff`: admins and reviewers need a second factor; `all`: everybody. Without one, their sessions can do ' +
      'nothing but set it up ([operating](operating.md#second-factors))',
  },
  LRS_SIGN_IN: {
    by: ['core'],
    as: choice('both', 'provider'),
    usual: 'both',
    meaning:
      '`provider`: people sign in with a provider only; there are no passwords, and no passkeys in their place ' +
      '([sign-in](sign-in.md#providers-only))',
  },
  LRS_SERVICE_TOKENS: {
    by: ['start', 'core', 'admin'],
    as: own.serviceTokens,
    unset: 'generated by start',
    meaning: '`gateway=…,portal=…,player=…,admin=…,service=…`: who may call core',
  },
  LRS_SERVICE_TOKEN: {
    by: ['gateway', 'portal', 'player', 'admin'],
    as: own.token,
    unset: 'from start',
    meaning: 'the one of those tokens that belongs to the process',
  },
  CORE_METRICS_PORT: metricsPort,
  GATEWAY_METRICS_PORT: metricsPort,
  PORTAL_METRICS_PORT: metricsPort,
  PLAYER_METRICS_PORT: metricsPort,
  LRS_METRICS_HOST: {
    by: ['metrics'],
    as: text(),
    usual: '127.0.0.1',
    meaning: 'the address of the metrics ports, which require no authentication',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    by: ['traces'],
    as: httpUrl,
    unset: 'unset: no traces',
    meaning:
      'an OpenTelemetry collector, such as `http://127.0.0.1:4318`; other settings of its libraries work, too ' +
      '([operating](operating.md))',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    by: ['traces'],
    as: choice('http/protobuf'),
    usual: 'http/protobuf',
    meaning: 'the only protocol that is supported',
  },
  OTEL_SDK_DISABLED: { by: ['traces'], as: text(), usual: 'false', meaning: '`true`: no traces' },
  OTEL_TRACES_EXPORTER: { by: ['traces'], as: text(), usual: 'otlp', meaning: '`none`: no traces' },
  OTEL_TRACES_SAMPLER: {
    by: ['traces'],
    as: choice(
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ),
    usual: 'parentbased_always_on',
    meaning: 'which traces are recorded, such as `parentbased_traceidratio`',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    by: ['traces'],
    as: own.share,
    usual: 1,
    meaning: 'the share of the traces that samplers with a ratio take, such as `0.01`',
  },
  OTEL_BSP_SCHEDULE_DELAY: {
    by: ['traces'],
    as: integer(10, 600_000),
    usual: 5_000,
    meaning: 'milliseconds that spans wait to be sent together',
  },
  LRS_LOG_FORMAT: {
    by: ['core', 'gateway', 'portal', 'player'],
    as: choice('json', 'readable'),
    usual: 'json',
    meaning: '`json` lines, or `readable` ones for people; below `npm start` always `json`',
  },
  LRS_LOG_LEVEL: {
    by: ['core', 'gateway', 'portal', 'player'],
    as: choice('debug', 'info', 'warn', 'error'),
    usual: 'info',
    meaning: '`debug`, `info`, `warn`, `error`',
  },
} as const satisfies Record<string, Setting>
