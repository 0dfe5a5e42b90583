/** Settings that belong together, with the texts of docs/settings.md and README.md for those who run the service. */
export interface Setting {
  readonly names: readonly string[]
  readonly default: string
  readonly readBy: string
  readonly meaning: string
}

/** Every setting that a process of ours reads; a test compares this list with the code. */
export const allSettings: readonly Setting[] = [
  {
    names: ['DATABASE_URL'],
    default: 'unset: Postgres from npm',
    readBy: 'start, core',
    meaning:
      'a Postgres (tested with 18), `postgres://user:password@host/name`; several servers in the form of libpq: ' +
      '`…@a,b/name?target_session_attrs=primary` ([operating](operating.md#failover))',
  },
  {
    names: ['LRS_MIGRATION_DATABASE_URL'],
    default: 'unset: the role of `DATABASE_URL` owns the tables',
    readBy: 'core, admin',
    meaning:
      'the database of `DATABASE_URL` as a role that owns the tables; with it the role of `DATABASE_URL` cannot ' +
      'change or delete entries of the audit log ([operating](operating.md#two-roles))',
  },
  {
    names: ['LRS_CELL_SERVERS'],
    default: 'unset: none',
    readBy: 'core',
    meaning:
      'further Postgres servers for statements, `east=postgres://…,west=postgres://…`, each with its own database ' +
      '([operating](operating.md#cells-on-other-servers))',
  },
  {
    names: ['LRS_DATA_DIR'],
    default: '`./data`, below the project',
    readBy: 'start, admin',
    meaning: 'Postgres, secrets and logs',
  },
  {
    names: ['GATEWAY_PORT', 'PORTAL_PORT', 'CORE_PORT', 'PLAYER_PORT'],
    default: '8080, 8081, 8082, 8084',
    readBy: 'the process in its name',
    meaning: 'where it listens',
  },
  {
    names: ['LRS_GATEWAYS', 'LRS_CORES'],
    default: 'one for each four processors, at most 8 and 4',
    readBy: 'start',
    meaning: 'processes of each kind that `npm start` runs ([operating](operating.md#several-processors))',
  },
  {
    names: ['GATEWAY_OWN_PORT'],
    default: 'unset',
    readBy: 'gateway',
    meaning:
      'a port of 127.0.0.1 at which only this gateway answers; ' +
      'with it several gateways of one machine share `GATEWAY_PORT` (Linux)',
  },
  { names: ['CORE_RELAY_PORT'], default: '`CORE_PORT` + 1', readBy: 'core', meaning: 'where gateways reach core' },
  {
    names: ['GATEWAY_HOST', 'PORTAL_HOST', 'PLAYER_HOST', 'CORE_HOST'],
    default: '`0.0.0.0`, `0.0.0.0`, `0.0.0.0`, `127.0.0.1`',
    readBy: 'the process in its name',
    meaning: 'the address it listens on',
  },
  {
    names: ['CORE_RELAY_URL'],
    default: '`http://127.0.0.1:8083`',
    readBy: 'gateway',
    meaning: 'relay ports of one or more cores, separated by commas',
  },
  {
    names: ['CORE_URL'],
    default: '`http://127.0.0.1:8082`',
    readBy: 'portal, player, admin',
    meaning: "core's services",
  },
  {
    names: ['LRS_CORE_URL'],
    default: '`CORE_URL`',
    readBy: 'admin',
    meaning: "core's services, for the command line; comes before `CORE_URL`",
  },
  {
    names: ['LRS_TOKEN'],
    default: 'unset',
    readBy: 'admin',
    meaning: 'a personal token ([cli](cli.md#personal-tokens)); comes before `LRS_SERVICE_TOKEN`',
  },
  {
    names: ['LRS_PROFILE'],
    default: '`games-lrs/profiles.json` where settings of programs are kept',
    readBy: 'admin',
    meaning: 'the file of profiles of the command line',
  },
  {
    names: ['LRS_IMPORT_AUTH'],
    default: 'unset',
    readBy: 'admin',
    meaning: '`key:secret` of the store that `statements import --from` reads ([cli](cli.md))',
  },
  {
    names: ['LRS_PORTAL_URL'],
    default: 'taken from the request',
    readBy: 'core, portal, admin',
    meaning: "the portal's own origin; with `https:` its session cookie is Secure; links in mails lead there",
  },
  {
    names: ['LRS_GAMES_URL'],
    default: "`PLAYER_PORT` on the portal's host",
    readBy: 'portal, player',
    meaning:
      'the origin on which games run; `https://*.games.example`: one for each build, its id in place of `*` ' +
      '([launch](launch.md))',
  },
  {
    names: ['LRS_EDGE_SECONDS'],
    default: '600',
    readBy: 'player',
    meaning:
      'how long a CDN or proxy cache may keep a file of a published build before it asks again ' +
      '([operating](operating.md#a-cdn-before-the-player))',
  },
  {
    names: ['LRS_EDGE_PURGE_URL', 'LRS_EDGE_PURGE_TOKEN'],
    default: 'unset: none',
    readBy: 'player',
    meaning: 'where the player tells a CDN which files to drop, by a POST with `{"tags": [...]}`; its Bearer token',
  },
  {
    names: ['LRS_XAPI_URL'],
    default: '`GATEWAY_PORT` on the same host',
    readBy: 'portal, player',
    meaning: 'the endpoint that games get and that the portal shows to studios',
  },
  {
    names: ['LRS_TRUST_PROXY'],
    default: '0',
    readBy: 'gateway, portal, player',
    meaning: 'number of trusted proxies in front, whose `X-Forwarded-*` headers count',
  },
  {
    names: ['LRS_BOOTSTRAP_KEY', 'LRS_BOOTSTRAP_SECRET'],
    default: 'generated, printed once',
    readBy: 'start, core',
    meaning: 'the credential of a first demo game on an empty store',
  },
  { names: ['LRS_RATE_LIMITS'], default: '`on`', readBy: 'core', meaning: '`off`: no request limits' },
  {
    names: ['LRS_RATE_LIMIT_FACTOR'],
    default: '1',
    readBy: 'core',
    meaning: 'multiplies the figures of the request limits, 1 or more',
  },
  {
    names: ['LRS_DIALECT'],
    default: '`games`',
    readBy: 'core, gateway',
    meaning: '`xapi`: the 1.0.3 standard to the letter where the interface document differs',
  },
  {
    names: ['LRS_TENANCY'],
    default: '`shared`',
    readBy: 'start, core',
    meaning:
      '`isolated`: a game knows only its own learners, their names and agent profiles, ' +
      'for studios that do not trust each other ([operating](operating.md#who-learns-the-names-of-learners))',
  },
  {
    names: ['LRS_DEFAULT_VERSION'],
    default: '`1.0.3`',
    readBy: 'gateway',
    meaning: 'the version header of an answer to a request that has none',
  },
  {
    names: ['LRS_AUDIT_DAYS'],
    default: '400',
    readBy: 'core',
    meaning: 'days for which the audit log is kept, 31 or more ([audit](audit.md))',
  },
  {
    names: ['LRS_BUILD_MAX_EXPANDED'],
    default: '4294967296',
    readBy: 'core',
    meaning: 'bytes of all files of a browser build, unpacked',
  },
  {
    names: ['LRS_STORAGE'],
    default: '`local`',
    readBy: 'core, portal, player',
    meaning: 'where builds and files are kept: `local` disk or an `s3` store ([storage](storage.md))',
  },
  {
    names: ['LRS_STORAGE_DIR'],
    default: '`storage` in the data folder',
    readBy: 'core, portal, player',
    meaning: 'the folder of `local`',
  },
  {
    names: ['LRS_STORAGE_KEY'],
    default: 'generated by start',
    readBy: 'core, portal',
    meaning: 'signs upload addresses of `local`: 32 bytes or more in base64url',
  },
  {
    names: ['LRS_S3_ENDPOINT'],
    default: 'needed for `s3`',
    readBy: 'core, portal, player',
    meaning: "the store's origin, such as `https://s3.eu-central-1.amazonaws.com`; browsers have to reach it too",
  },
  {
    names: ['LRS_S3_BUCKET', 'LRS_S3_REGION'],
    default: 'needed for `s3`; `us-east-1`',
    readBy: 'core, portal, player',
    meaning: 'the bucket and its region',
  },
  {
    names: ['LRS_S3_ACCESS_KEY', 'LRS_S3_SECRET_KEY'],
    default: 'needed for `s3`',
    readBy: 'core, portal, player',
    meaning: "the account's keys",
  },
  {
    names: ['LRS_DISK_RESERVE'],
    default: '512 MiB, or 5 % of a disk below 10 GiB',
    readBy: 'start, core, portal',
    meaning:
      'bytes that stay free on the disk: with less, writes are refused (503) until there is room; ' +
      'reads, signing in and clean-up go on ([reliability](reliability.md)). 0: off',
  },
  {
    names: ['LRS_UPLOAD_RESERVE'],
    default: 'four times `LRS_DISK_RESERVE`',
    readBy: 'core, portal',
    meaning:
      'bytes that uploads of studios leave free on the disk: with less, uploads are refused (507). ' +
      'At least `LRS_DISK_RESERVE`',
  },
  {
    names: ['LRS_ATTACHMENTS_MAX_BYTES'],
    default: '33554432',
    readBy: 'core, gateway',
    meaning: 'bytes of a whole request with attachments',
  },
  {
    names: ['LRS_SMTP_URL'],
    default: 'unset: no mails',
    readBy: 'core',
    meaning: 'the mail server, `smtps://user:password@mail.example.org` or `smtp://…:587` ([mail](mail.md))',
  },
  {
    names: ['LRS_MAIL_FROM'],
    default: 'needed with `LRS_SMTP_URL`',
    readBy: 'core',
    meaning: 'the sender of mails, such as `Games LRS <lrs@example.org>`',
  },
  {
    names: ['LRS_OUTGOING_ALLOW'],
    default: 'unset: public addresses only',
    readBy: 'core',
    meaning:
      'networks that calls to other systems may reach although they are private, such as `10.1.0.0/16,fd00::/8`, or ' +
      'one port of them: `10.1.0.0/16:443,[fd00::]/8:443`; to these also without TLS ([security](security.md))',
  },
  {
    names: ['LRS_AUTHORITY_HOME'],
    default: '`https://games-lrs.example`',
    readBy: 'core',
    meaning: 'homePage of the account in `authority`',
  },
  { names: ['LRS_DATABASE_CONNECTIONS'], default: '10', readBy: 'core', meaning: 'database connections of one core' },
  {
    names: ['LRS_RELAY_TIMEOUT_MS'],
    default: '10000',
    readBy: 'gateway',
    meaning: 'milliseconds that core may take to answer',
  },
  {
    names: ['LRS_SIGNING_KEY'],
    default: 'generated by start',
    readBy: 'core',
    meaning: 'signs launch tokens: 32 bytes or more in base64url; several, separated by commas: the first signs',
  },
  {
    names: ['LRS_SECRET_KEYS'],
    default: 'generated by start',
    readBy: 'start, core',
    meaning:
      'seal secrets in the database, such as those of second factors: 32 bytes or more in base64url; several, ' +
      'separated by commas: the first seals, all open ([operating](operating.md#keys-of-sealed-secrets))',
  },
  {
    names: ['LRS_SECOND_FACTOR'],
    default: '`optional`',
    readBy: 'core',
    meaning:
      '`staff`: admins and reviewers need a second factor; `all`: everybody. Without one, their sessions can do ' +
      'nothing but set it up ([operating](operating.md#second-factors))',
  },
  {
    names: ['LRS_SIGN_IN'],
    default: '`both`',
    readBy: 'core',
    meaning:
      '`provider`: people sign in with a provider only; there are no passwords, and no passkeys in their place ' +
      '([sign-in](sign-in.md#providers-only))',
  },
  {
    names: ['LRS_SERVICE_TOKENS'],
    default: 'generated by start',
    readBy: 'core',
    meaning: '`gateway=…,portal=…,player=…,admin=…,service=…`: who may call core',
  },
  {
    names: ['LRS_SERVICE_TOKEN'],
    default: 'from start',
    readBy: 'gateway, portal, player, admin',
    meaning: 'the one of those tokens that belongs to the process',
  },
  {
    names: ['CORE_METRICS_PORT', 'GATEWAY_METRICS_PORT', 'PORTAL_METRICS_PORT', 'PLAYER_METRICS_PORT'],
    default: 'unset: none',
    readBy: 'the process in its name',
    meaning: 'port of the metrics for Prometheus, at `/metrics` ([operating](operating.md))',
  },
  {
    names: ['LRS_METRICS_HOST'],
    default: '`127.0.0.1`',
    readBy: 'all',
    meaning: 'the address of the metrics ports, which require no authentication',
  },
  {
    names: ['OTEL_EXPORTER_OTLP_ENDPOINT'],
    default: 'unset: no traces',
    readBy: 'core, gateway',
    meaning:
      'an OpenTelemetry collector, such as `http://127.0.0.1:4318`; other settings of its libraries work, too ' +
      '([operating](operating.md))',
  },
  {
    names: ['OTEL_EXPORTER_OTLP_PROTOCOL'],
    default: '`http/protobuf`',
    readBy: 'core, gateway',
    meaning: 'the only protocol that is supported',
  },
  {
    names: ['OTEL_SDK_DISABLED', 'OTEL_TRACES_EXPORTER'],
    default: '`false`, `otlp`',
    readBy: 'core, gateway',
    meaning: '`true`, or `none`: no traces',
  },
  {
    names: ['OTEL_TRACES_SAMPLER', 'OTEL_TRACES_SAMPLER_ARG'],
    default: '`parentbased_always_on`, 1',
    readBy: 'core, gateway',
    meaning: 'which traces are recorded, such as `parentbased_traceidratio` and `0.01`',
  },
  {
    names: ['OTEL_BSP_SCHEDULE_DELAY'],
    default: '5000',
    readBy: 'core, gateway',
    meaning: 'milliseconds that spans wait to be sent together',
  },
  {
    names: ['LRS_LOG_FORMAT'],
    default: '`json`',
    readBy: 'core, gateway, portal, player',
    meaning: '`json` lines, or `readable` ones for people; below `npm start` always `json`',
  },
  { names: ['LRS_LOG_LEVEL'], default: '`info`', readBy: 'all', meaning: '`debug`, `info`, `warn`, `error`' },
]
