/**
 * Every limit of the service. The code that enforces a limit and the texts that name it read this table; `npm run
 * check` refuses a second literal. Source: interface document, section Limits.
 */

const KiB = 1024
export const MiB = 1024 * KiB
const GiB = 1024 * MiB

/** Sizes and counts of one LRS request. */
export const sizes = {
  statementsPerRequest: 250,
  statementsBody: 2 * MiB,
  document: 512 * KiB,
  /** Characters of the Content-Type of a document. */
  contentType: 256,
  pageDefault: 50,
  pageMaximum: 500,
  /**
   * Bytes of JSON in a page of statements: of REST and of FORM_JSON_RUN, of FORM_JSON, of FORM_TYPED. A larger statement
   * comes alone. The message stays below the 4 MiB that gRPC clients accept by default: a list of JSON may be sent in
   * base64 (2 MiB become 2.8 MB), and a number of two bytes takes eleven in a typed message.
   */
  page: { run: 3 * MiB, json: 2 * MiB, typed: MiB / 2 },
} as const

/** Lifetime of a launch token, and of a session in the player or the sandbox. */
export const launchSeconds = 2 * 60 * 60
/** How long the address holds at which a studio downloads a package that is not public. */
export const downloadSeconds = 10 * 60
export const launchHours = launchSeconds / 3600

/**
 * Installed copies of games: seconds that a code holds, and the code of a link; seconds between two questions of a
 * device; codes of a game at a time; devices of a learner, of which a new one ends the one that was not used for longest;
 * days without use after which one ends; devices in a list; characters of a name and of a launch link.
 */
export const devices = {
  codeSeconds: 600,
  linkSeconds: 60,
  pollSeconds: 5,
  codesOfGame: 2_000,
  ofLearner: 10,
  unusedDays: 180,
  listed: 100,
  name: 60,
  link: 200,
} as const

/** Two sizes in words, to the byte where rounding would hide which is larger. */
export function comparedInBytes(size: number, bound: number): [string, string] {
  const words: [string, string] = [inBytes(size), inBytes(bound)]
  return size !== bound && words[0] === words[1]
    ? [`${size.toLocaleString('en')} bytes`, `${words[1]} (${bound.toLocaleString('en')} bytes)`]
    : words
}

/** A size in words, such as `512 KB`. */
export function inBytes(bytes: number): string {
  for (const [unit, size] of [
    ['GB', GiB],
    ['MB', MiB],
    ['KB', KiB],
  ] as const) {
    if (bytes >= size) return `${Number((bytes / size).toFixed(2))} ${unit}`
  }
  return `${bytes} bytes`
}

export const windowSeconds = 60

/**
 * Allowances of POSTs, and of PUTs, of statements with launch tokens. Only requests beyond them count in the common
 * bucket: so one learner cannot use it up for all. A learner who sends every 5 seconds needs 12 a window. A network has
 * the allowance of a class of 40, for any number of sessions, and a game that of 5,000 learners.
 */
export const allowances = {
  learner: {
    subject: 'POST, and PUT, of statements by a learner with a launch token',
    limit: 12,
    keyedBy: 'credential + actor',
    notes: 'Requests beyond it count in the bucket above; launch tokens have one such bucket, key and secret another',
  },
  network: {
    subject: 'The same, by all learners whose sessions one network started',
    limit: 12 * 40,
    keyedBy: 'credential + network',
    notes: 'Invited learners do not count',
  },
  game: { subject: 'The same, by all learners of a game', limit: 12 * 5_000, keyedBy: 'credential', notes: '' },
} as const

/** Documents that a studio writes for one game. */
export const gameDocuments = 100

/** Request limits per window of 60 seconds, counted by credential or by credential and actor. */
export const buckets = {
  'post-statements': {
    subject: 'POST /xapi/statements',
    limit: 120,
    keyedBy: 'credential',
    notes:
      `At most ${sizes.statementsPerRequest} statements per request; body at most ${inBytes(sizes.statementsBody)}; ` +
      'own bucket, separate from PUT',
  },
  'put-statements': {
    subject: 'PUT /xapi/statements',
    limit: 120,
    keyedBy: 'credential',
    notes: `One statement per request; body at most ${inBytes(sizes.statementsBody)}; own bucket`,
  },
  'put-state': {
    subject: 'PUT and POST /xapi/activities/state',
    limit: 120,
    keyedBy: 'credential + actor',
    notes: `Document at most ${inBytes(sizes.document)}`,
  },
  'get-state': { subject: 'GET /xapi/activities/state', limit: 240, keyedBy: 'credential + actor', notes: '' },
  'delete-state': { subject: 'DELETE /xapi/activities/state', limit: 120, keyedBy: 'credential + actor', notes: '' },
  'activity-profile': {
    subject: 'GET, PUT, POST, DELETE /xapi/activities/profile',
    limit: 120,
    keyedBy: 'credential + actor',
    notes: `One shared bucket; document at most ${inBytes(sizes.document)}`,
  },
  'agent-profile': {
    subject: 'GET, PUT, POST, DELETE /xapi/agents/profile',
    limit: 120,
    keyedBy: 'credential + actor',
    notes: `One shared bucket; document at most ${inBytes(sizes.document)}`,
  },
  'game-document': {
    subject: 'GET /xapi/games/document',
    limit: 120,
    keyedBy: 'credential + actor',
    notes: `Its studio writes at most ${gameDocuments} documents of at most ${inBytes(sizes.document)}`,
  },
} as const satisfies Record<
  string,
  { subject: string; limit: number; keyedBy: 'credential' | 'credential + actor'; notes: string }
>

export type Bucket = keyof typeof buckets

/** Wrong keys and secrets of one network: at once, and then each second. Beyond it the answer is 503. */
export const unknownKeys = { burst: 100, perSecond: 20 } as const

/** Requests without such a limit. */
export const unlimited = ['GET /xapi/statements', 'GET /xapi/agents', 'GET /xapi/activities', 'GET /xapi/about']

/**
 * Bytes of attachments and documents that launch tokens may send in a window: one token (more than all documents that
 * the buckets above admit), and all tokens of a game together. The first bytes of each token do not count for the game,
 * in one network up to those of a class of 40.
 */
export const sentBytes = { session: 192 * MiB, share: 4 * MiB, network: 40 * 4 * MiB, game: GiB } as const

/** A limit that the database counts: in windows that start with their first request, or by the day in UTC. */
interface Counted {
  readonly subject: string
  readonly limit: number
  readonly seconds: number | 'utc-day'
  readonly per: string
  readonly keyedBy: string
  readonly notes: string
}

/** Limits of the developer portal that the interface document names. */
export const portalLimits = {
  uploadUrl: {
    subject: 'Request an upload URL (any file type)',
    limit: 60,
    seconds: 60,
    per: 'minute',
    keyedBy: 'developer',
    notes: '',
  },
  buildUploadUrl: {
    subject: 'Game-build upload URLs (new or replacement, browser or desktop)',
    limit: 20,
    seconds: 'utc-day',
    per: 'UTC day',
    keyedBy: 'developer',
    notes: 'Resets at 00:00 UTC; checked last, after size and quota validation, so a rejected request uses no slot',
  },
  finalize: {
    subject: 'Finalize an upload (save as draft)',
    limit: 10,
    seconds: 60,
    per: 'minute',
    keyedBy: 'developer',
    notes: '',
  },
  sandbox: {
    subject: 'Open a sandbox session',
    limit: 10,
    seconds: 60,
    per: 'minute',
    keyedBy: 'developer',
    notes: '',
  },
  contact: {
    subject: 'Public studio contact form',
    limit: 5,
    seconds: 600,
    per: '10 minutes',
    keyedBy: 'sender IP',
    notes: 'Also protected by a CAPTCHA',
  },
} as const satisfies Record<string, Counted>

/** Limits by sender IP also count each IPv6 network of 48 bits, with this many times the limit. */
export const wideNetworkFactor = 10

const quarter = { seconds: 15 * 60, per: '15 minutes' } as const
/** Limits of the portal that the interface document does not name. */
export const furtherLimits = {
  play: {
    subject: 'Start a session of a published game',
    limit: 120,
    seconds: 60,
    per: 'minute',
    keyedBy: 'sender IP',
    notes: 'A classroom often shares one address',
  },
  report: {
    subject: 'Report a published game',
    limit: 5,
    seconds: 600,
    per: '10 minutes',
    keyedBy: 'sender IP',
    notes: '',
  },
  reportOfGame: {
    subject: 'Report the same game',
    limit: 4,
    seconds: 86_400,
    per: 'day',
    keyedBy: 'sender IP and game',
    notes: 'So that one sender does not fill the reports of a game',
  },
  deviceCode: {
    subject: 'Ask for a code or a link of a device',
    limit: 120,
    ...quarter,
    keyedBy: 'sender IP',
    notes: 'A classroom often shares one address',
  },
  devicePoll: {
    subject: 'Devices that ask whether their code was allowed',
    limit: 1_200,
    seconds: 60,
    per: 'minute',
    keyedBy: 'sender IP',
    notes: 'As often as 100 devices ask',
  },
  wrongDeviceCode: {
    subject: 'Wrong codes of devices',
    limit: 30,
    ...quarter,
    keyedBy: 'sender IP',
    notes: 'A code has 8 of 20 letters and ends after 10 minutes',
  },
  wrongDeviceCodes: {
    subject: 'Wrong codes of devices of all senders',
    limit: 3_000,
    ...quarter,
    keyedBy: 'the service',
    notes: 'Beyond it the next limit holds for each sender',
  },
  wrongDeviceCodeBeyond: {
    subject: 'Wrong codes of devices while all senders together are beyond their limit',
    limit: 3,
    ...quarter,
    keyedBy: 'sender IP',
    notes: 'So a flood of others does not lock out a learner with a right code',
  },
  joinLesson: {
    subject: 'Codes of lessons, right or wrong',
    limit: 600,
    seconds: 2 * 60,
    per: '2 minutes',
    keyedBy: 'sender IP',
    notes: 'For a whole school behind one address',
  },
  lessonCode: {
    subject: 'Wrong codes of lessons',
    limit: 4,
    seconds: 2 * 60,
    per: '2 minutes',
    keyedBy: 'sender IP',
    notes: 'A right code always works from the network of its lesson, so a class does not lock itself out',
  },
  openLesson: {
    subject: 'Open lessons, and start their next games',
    limit: 60,
    seconds: 60 * 60,
    per: 'hour',
    keyedBy: 'account',
    notes: '',
  },
  seatStart: {
    subject: 'Start the game of a lesson',
    limit: 20,
    seconds: 10 * 60,
    per: '10 minutes',
    keyedBy: 'seat',
    notes: '',
  },
  assistant: {
    subject: 'Calls of tools by assistants',
    limit: 120,
    seconds: 60,
    per: 'minute',
    keyedBy: 'account',
    notes: '',
  },
  ltiLogin: {
    subject: 'Logins and launches from learning platforms',
    limit: 1_200,
    seconds: 10 * 60,
    per: '10 minutes',
    keyedBy: 'sender IP',
    notes: 'For a whole school behind one address',
  },
  ltiRegistration: {
    subject: 'Registrations and tests of learning platforms',
    limit: 30,
    seconds: 60 * 60,
    per: 'hour',
    keyedBy: 'sender IP or school',
    notes: '',
  },
  roster: {
    subject: 'Rosters that are read from a file or confirmed',
    limit: 40,
    seconds: 60 * 60,
    per: 'hour',
    keyedBy: 'school',
    notes: '',
  },
  ltiPick: {
    subject: 'Games looked at and links picked for a course',
    limit: 60,
    seconds: 10 * 60,
    per: '10 minutes',
    keyedBy: 'launch',
    notes: '',
  },
  ltiMembers: {
    subject: 'Pupils taken from courses of learning platforms',
    limit: 60,
    seconds: 60 * 60,
    per: 'hour',
    keyedBy: 'school',
    notes: '',
  },
  betaLink: {
    subject: 'Play a beta by its link',
    limit: 100,
    seconds: 'utc-day',
    per: 'UTC day',
    keyedBy: 'beta link',
    notes: 'Sessions; they also count as sessions of a published game of their sender',
  },
  'sign-in': {
    subject: 'Failed sign-ins of one sender at one account',
    limit: 10,
    ...quarter,
    keyedBy: 'sender IP + account',
    notes: '',
  },
  'sign-in-from': { subject: 'Failed sign-ins of one sender', limit: 50, ...quarter, keyedBy: 'sender IP', notes: '' },
  'sign-in-at': { subject: 'Failed sign-ins at one account', limit: 100, ...quarter, keyedBy: 'account', notes: '' },
  'sign-in-known': {
    subject: 'Failed sign-ins of a browser that was signed in to the account before',
    limit: 10,
    ...quarter,
    keyedBy: 'browser + account',
    notes: 'It counts nowhere else, so others cannot lock it out; wrong current passwords of a session count like it',
  },
  'sign-in-second': {
    subject: 'Wrong second factors at one account',
    limit: 10,
    seconds: 60 * 60,
    per: 'hour',
    keyedBy: 'account',
    notes: 'After the right password only',
  },
  'sign-in-second-known': {
    subject: 'Wrong second factors of a browser or session that is known at the account',
    limit: 10,
    ...quarter,
    keyedBy: 'browser + account',
    notes: 'Counted separately, so others cannot lock it out',
  },
  'sign-in-with': {
    subject: 'Sign-ins with another provider',
    limit: 60,
    ...quarter,
    keyedBy: 'sender IP',
    notes: 'Counted when they start, also if they fail',
  },
  'invite-member': {
    subject: 'Invite members to a studio',
    limit: 30,
    seconds: 3600,
    per: 'hour',
    keyedBy: 'developer',
    notes: '',
  },
  'new-endpoint': {
    subject: 'Addresses of forwards and webhooks that are added, changed or tested',
    limit: 60,
    seconds: 3600,
    per: 'hour',
    keyedBy: 'developer',
    notes: 'Counted together, so that nobody can use them to search for open ports',
  },
  'token-from': {
    subject: 'Failed calls with a personal token',
    limit: 50,
    ...quarter,
    keyedBy: 'sender IP',
    notes: 'Valid tokens still work',
  },
  'sign-up-from': { subject: 'New accounts', limit: 20, ...quarter, keyedBy: 'sender IP', notes: '' },
  'mail-from': {
    subject: 'Mails that one sender asks for, to addresses that are not its own',
    limit: 30,
    ...quarter,
    keyedBy: 'sender IP',
    notes: 'Sign-ups, new passwords, changes of the address and invitations, counted together',
  },
  'mail-by': {
    subject: 'Mails that one account asks for, to addresses that are not its own',
    limit: 30,
    seconds: 3600,
    per: 'hour',
    keyedBy: 'account',
    notes: 'Changes of the address and invitations, counted together',
  },
  'mail-to': {
    subject: 'Mails with a link to one address, of one kind',
    limit: 5,
    seconds: 60 * 60,
    per: 'hour',
    keyedBy: 'e-mail address + kind',
    notes:
      'Addresses that differ only after a + count as one. Further mails are not sent. ' +
      'Sign-up and reset answer as before, so they do not show who has an account',
  },
} as const satisfies Record<string, Counted>

export type CountedLimit = keyof typeof portalLimits | keyof typeof furtherLimits

/**
 * Calls of core to other systems: seconds and bytes of one, with everything; pieces in which a body comes, and answers
 * before the answer; how many at a time, and of one host.
 */
export const outgoing = {
  seconds: 10,
  bytes: MiB,
  sentBytes: 64 * KiB,
  headerBytes: 16 * KiB,
  pieces: 5_000,
  earlyAnswers: 20,
  atOnce: 64,
  atOnceOfHost: 8,
} as const

/** Most bytes of the list of a build's files. A build with a longer one has none: a push takes nothing from it. */
export const fileListBytes = 2 * MiB
/**
 * clamd: seconds without a byte from it or to it, above its own MaxScanTime of 120; characters of an answer; times that
 * a file is sent when clamd breaks off.
 */
export const malware = { seconds: 150, answer: 1_000, tries: 3 } as const

/**
 * Webhooks of a game; characters of a name and of an address; statements of a batch and their bytes; characters of an
 * answer that are kept; deliveries that are listed, that are kept of a webhook, and for how many days; deliveries that a
 * core makes before another webhook has its turn, and seconds after which it has it anyway; seconds of a pause when core
 * itself is busy; days of failures after which a delivery is given up; hours for which an old secret signs as well.
 */
export const webhooks = {
  ofGame: 5,
  name: 100,
  url: 2_000,
  statements: 50,
  bytes: 256 * KiB,
  answer: 1_000,
  listed: 50,
  kept: 1_000,
  keptDays: 30,
  inRow: 50,
  turnSeconds: 15,
  busySeconds: 2,
  givenUpDays: 3,
  oldSecretHours: 24,
} as const

/** Seconds for which a core has a row of work without a sign of life: then another core takes it. */
export const leaseSeconds = 60

/**
 * What is delivered to other systems again and again, in a thread of its own: seconds of one call, bytes that it sends,
 * calls at a time in a core and to one host; forwards, or webhooks, under way at a time in a core, of one owner and to
 * one host; forwards that send more than a batch has, each of another owner; seconds between attempts, which double
 * from the first to the longest, the longest for a system that gives no answer, and the most that Retry-After may ask
 * for.
 */
export const deliveries = {
  seconds: 20,
  sentBytes: 16 * MiB,
  callsAtOnce: 160,
  callsOfHost: 12,
  atOnce: 64,
  atOnceOfOne: 4,
  atOnceOfHost: 4,
  largeAtOnce: 16,
  firstPause: 5,
  longestPause: 60 * 60,
  longestUnanswered: 5 * 60,
  longestAsked: 6 * 60 * 60,
} as const

/**
 * Forwards of statements to other stores: of a game, listed ones; statements and bytes of a request, bytes of one
 * statement with its attachments; characters of a credential and of what a target says; statements that are set aside
 * before a forward stops, and how many of them a page shows; answers of 500 in a row after which the statement is looked
 * for that is the cause; days for which erasures are listed; seconds between two
 * looks without news, and that a forward goes on before others come.
 */
export const forwards = {
  ofGame: 5,
  listed: 1_000,
  batch: 50,
  batchBytes: MiB,
  statementBytes: 15 * MiB,
  secret: 1_000,
  said: 300,
  setAside: 1_000,
  setAsideListed: 100,
  serverErrors: 5,
  erasureDays: 90,
  idleSeconds: 30,
  turnSeconds: 15,
} as const

/** Notices in the header of the portal that an account keeps, and for how many days. */
export const notifications = { ofAccount: 200, days: 180 } as const

/**
 * Mails: seconds of one attempt; pauses between attempts, which double; days after which one is given up, and for which
 * admins see what became of it; how many a list has.
 */
export const mails = {
  seconds: 30,
  firstPause: 60,
  longestPause: 6 * 60 * 60,
  givenUpDays: 4,
  keptDays: 30,
  listed: 500,
} as const

/** The weekly mail: games of a studio that are looked at, the newest ones; those that a mail tells of. */
export const weeklyMails = { looked: 20, games: 10 } as const

/**
 * Exports of statements: bytes of a page that is read, under way in a core and of one studio, times that one tries
 * again in a busy moment and the pause between; extensions that get columns. More statements than `direct` become a
 * job: open ones of a studio, listed ones of a game, bytes of a part and of a file, attempts, days for which a
 * file is kept.
 */
export const exports = {
  pageBytes: MiB,
  atOnce: 6,
  atOnceOfStudio: 2,
  patience: 40,
  pauseMs: 500,
  extensions: 20,
  direct: 100_000,
  openOfStudio: 5,
  listed: 50,
  partBytes: 8 * MiB,
  fileBytes: 8 * GiB,
  attempts: 5,
  keptDays: 7,
} as const

/** Quotas of a developer account. */
export const quotas = {
  games: { subject: 'Games per developer account, drafts included', limit: 20, unit: 'games' },
  storage: {
    subject: 'Total build storage per developer account',
    limit: 25 * GiB,
    unit: 'bytes',
    notes:
      'Live, staged and beta builds, uploads under way, and replaced desktop builds for 7 days, in which they can ' +
      'still be downloaded; not the two replaced builds that are kept for a rollback. Packages count; what browser builds have unpacked may be four times as much',
  },
  build: { subject: 'Single game build (browser zip or desktop package)', limit: GiB, unit: 'bytes' },
  zipEntries: { subject: 'Entries (files and folders) in a browser zip', limit: 10_000, unit: 'entries' },
  zipRatio: { subject: 'Per-file decompression ratio in a browser zip', limit: 100, unit: 'ratio' },
  galleryImages: { subject: 'Gallery images per game', limit: 10, unit: 'images', each: 5 * MiB },
  teachingNotes: { subject: 'Teaching-note documents per game', limit: 5, unit: 'documents', each: 10 * MiB },
  logo: { subject: 'Studio logo', limit: 5 * MiB, unit: 'bytes' },
} as const

/** Members of a studio, links that invite members, and for how long a link is good. An admin may allow more studios. */
export const members = { ofStudio: 100, invitations: 50, invitationDays: 7, ownedStudios: 1 } as const

/** Days between the request to delete an account or a studio and its end. Until then the owner can keep it. */
export const secondThoughts = { days: 14 } as const

/**
 * Pages about learners: learners of a page; index rows that one question reads; learners of a session that are counted;
 * statements and bytes that levels are told from; levels, documents and bytes of a document that are shown;
 * versions of clients in a list, and days whose players they are of.
 */
export const learnerPages = {
  learners: 50,
  candidates: 5_000,
  sessionLearners: 100,
  statements: 1_000,
  bytes: 2 * MiB,
  latest: 50,
  levels: 100,
  documents: 100,
  content: 64 * KiB,
  clients: 50,
  clientDays: 30,
} as const

/** Origins of the pages that may show a game in a frame, and characters of each: all of them are in one header. */
export const embedding = { origins: 20, characters: 100 } as const

/** Best scores of a level from which a learner sees two stars, and three. */
export const levelStars = { two: 0.5, three: 0.8 } as const

/** A browser remembers a learner who asks for it, for these days after the last start; own data need a newer proof. */
export const remembered = { days: 30, provenMinutes: 15 } as const

/** Statements of a session that its result counts; `brief`: those that tell whether the game has ended, asked often. */
export const sessionResults = {
  statements: 1_000,
  bytes: 2 * MiB,
  brief: { statements: 50, bytes: 64 * KiB },
  levels: 100,
  minutes: 15,
} as const

/** A learner's request to erase its data: core erases after this time, unless the studio decides before. */
export const erasureRequests = { days: 7 } as const

/** The share of a quota that has to be used before its studio gets a notice. */
export const nearlyUsed = 0.9

/** Number and length of the IRI prefixes that studios may reserve. */
export const reservations = { ofStudio: 50, inAll: 10_000, characters: 200 } as const

/** The quota of the bytes that a game stores, with its sandbox. */
export const gameBytes = {
  subject: 'Statements, attachments and documents of a game',
  refusal: 'The game has stored as many bytes as it may. Keep the data and send it again later.',
} as const

/** Unpacked bytes of an account's browser builds: at most this many times its quota of storage. */
export const unpackedFactor = 4

/** A replaced desktop build can be downloaded for this long, and counts for the quota. */
export const graceSeconds = 7 * 24 * 60 * 60
/** The files of a replaced browser build stay for this long: longer than any session that runs it. */
export const runningSeconds = 3 * 60 * 60
/**
 * Replaced live builds of a game that can become live again at once, and days for which. They count for no quota: each
 * of them was reviewed.
 */
export const keptBuilds = { ofGame: 2, days: 30 } as const
/** An upload keeps its reserved storage for this long. */
export const reservationSeconds = 24 * 60 * 60

/** OpenID Connect providers: their number, entries in a list of one, sign-ins under way, seconds that one may take. */
export const signInProviders = { inAll: 20, ofList: 50, attempts: 20_000, attemptSeconds: 10 * 60 } as const

/**
 * LTI: platforms of a school, deployments and origins of one; seconds that clocks may differ; minutes for a login, and
 * logins under way in all and of a network or a platform; minutes for a registration; hours for which an accepted launch may be
 * played, and keys of a platform are kept, and hours after its end in which an old key of ours is served; seconds
 * between two looks for new keys, and keys of one platform; characters of a message and of a value in it; refusals of a
 * school that are kept, and for how many days; characters and seconds of an access token of a platform, and how many
 * are kept; links of a course; lists of members read at a time; members of a page that are asked for, pages, and seconds for all of them; minutes after which they
 * are asked for again at a launch; of a pupil and a link: attempts that count for the grade, and newest ones whose
 * sessions are looked at; seconds between two looks while statements come, and days after the last one until the looks
 * end; seconds in which one core looks for a line item or makes it; grades that a page shows.
 */
export const lti = {
  ofSchool: 20,
  deployments: 50,
  origins: 10,
  skewSeconds: 60,
  loginMinutes: 10,
  logins: 100_000,
  loginsOfNetwork: 2_000,
  registrationMinutes: 60,
  registrations: 20,
  launchHours: 2,
  keyHours: 24,
  oldKeyHours: 24,
  keySeconds: 60,
  keys: 50,
  tokenCharacters: 64 * 1024,
  valueCharacters: 2_000,
  shownCharacters: 200,
  refusals: 500,
  refusalDays: 30,
  accessTokenCharacters: 8_000,
  accessTokenSeconds: 3_600,
  accessTokens: 1_000,
  links: 1_000,
  takes: 8,
  membersOfPage: 200,
  membersPages: 20,
  membersSeconds: 60,
  membersMinutes: 60,
  gradedAttempts: 500,
  watchedAttempts: 10,
  gradeSeconds: 15,
  gradeDays: 30,
  makingSeconds: 180,
  listedGrades: 2_000,
} as const

/**
 * Classes of a school, and pupils of a class; changes of who agrees for the pupils; of a pupil: what parents said that
 * is kept, and used links of parents.
 */
export const schools = { classes: 500, ofClass: 100, consentRules: 200, consents: 100, parentLinks: 10 } as const

/**
 * Rosters of schools: bytes of a zip, of all its files and of a value; its files, rows of one; wrong rows that are shown,
 * and changes; hours for which one waits to be confirmed; the share of leavers above which their number has to be typed;
 * days after which a pupil who is in no class is deleted.
 */
export const rosters = {
  zip: 3 * MiB,
  expanded: 16 * MiB,
  value: 64 * KiB,
  files: 100,
  rows: 60_000,
  faults: 100,
  shown: 1_000,
  waitHours: 24,
  leavers: 0.1,
  goneDays: 30,
} as const

/**
 * Lessons: hours after which one ends; open ones of a school; listed ones of a class; seats of one at a time, and with
 * ended ones; and seats that
 * wait on networks of which the teacher has let nobody in; seconds for which statements of a game still count after the
 * teacher has started the next one; pictures by which the teacher knows who waits, and those that
 * pupils choose from; wrong names of a seat; minutes without a sign of life and seconds after its page was closed, after
 * which a seat ends; hours for which an ended seat is kept.
 */
export const lessons = {
  hours: 4,
  ofSchool: 200,
  listed: 100,
  seats: 1_000,
  seatsInAll: 5_000,
  waitingElsewhere: 40,
  lateSeconds: 10,
  signs: 24,
  pictures: 12,
  wrongNames: 5,
  idleMinutes: 10,
  closedSeconds: 15,
  keptHours: 24,
} as const

/**
 * Invitations of a game at a time: in all, without a class, classes, learners of one. Days in which an end can be
 * undone.
 */
export const invitations = {
  ofGame: 5_000,
  single: 1_000,
  classes: 200,
  ofClass: 100,
  undoDays: 1,
  handOverDays: 7,
} as const

/**
 * How long data is kept, if a studio sets that: months it may choose; months for which ids of expired statements are
 * kept, so that a late queue does not store them again; receipts of a game; what a dry run counts at most.
 */
export const retention = {
  months: { least: 1, most: 120 },
  idMonths: 12,
  receipts: 100,
  counted: 5_000_000,
  countedLearners: 200_000,
} as const

/** Deletions of statements: statements of one; ids that a request may name; receipts in a list; ids in one message. */
export const deletions = { statements: 100_000, ids: 5_000, receipts: 100, listed: 5_000 } as const

/** What a class's table reads of each learner: the newest statements, and bytes of those with a result. */
export const classResults = { statements: 1_000, bytes: 256 * KiB } as const

/** The same for the report of a school's class. */
export const reportResults = { statements: 5_000, bytes: 2 * MiB } as const

/**
 * The board of a lesson: levels; seats that wait; games that a report names, and those of one sitting; lessons whose attempts are kept while their
 * boards are open, and bytes of these statements; seconds after which they are read again from the first one, since one
 * may have been voided; seconds for which a pupil is here after it was heard of.
 */
export const boards = {
  levels: 100,
  waiting: 200,
  games: 50,
  sitting: 10,
  open: 1_000,
  bytes: 64 * MiB,
  readAgainSeconds: 300,
  hereSeconds: 60,
} as const

/** Tries, or minutes, after which a pupil is stuck at a level that it has not done. */
export const stuckAfter = { tries: 3, minutes: 4 } as const

/** Wrong answers in a report: of a class, of one pupil. */
export const wrongAnswers = { ofClass: 20, ofPupil: 10 } as const

/**
 * Answers to assistants: rows of a list or table; guides of a search; characters of one text and of an answer; bytes of a
 * request.
 */
export const assistants = { rows: 100, guides: 8, text: 2_000, answer: 60_000, body: 64 * KiB } as const

/** A search of the docs, and what it shows. */
export const guideSearch = { characters: 100, words: 8, results: 30 } as const

/** Addresses of result pages that a game has under names; characters of a name, and of the query of an address. */
export const savedViews = { ofGame: 50, name: 100, query: 1_000 } as const

/** By what charts of a game can be narrowed: characters of its IRI, and values that are counted one by one, with theirs. */
export const cuts = { iri: 500, values: 100, characters: 100 } as const

/** Different days of a game that are counted one by one, by the time of statements; all further ones together. */
export const countedDays = 4_000
