/** A guide: a Markdown file of the repository, at `/docs/<name>`. */
export interface GuideEntry {
  readonly name: string
  /** From the root of the repository. */
  readonly file: string
  /** One sentence for the list of guides. */
  readonly about: string
}

/** A page of the portal that belongs among the guides. */
export interface PageEntry {
  readonly href: string
  readonly title: string
  readonly about: string
}

export interface Section {
  readonly title: string
  readonly about: string
  /** How much its guides count in the search; 1 if not said. */
  readonly weight?: number
  readonly of: readonly (GuideEntry | PageEntry)[]
}

export const isGuide = (entry: GuideEntry | PageEntry): entry is GuideEntry => 'file' in entry

const guide = (name: string, about: string, file = `docs/${name}.md`): GuideEntry => ({ name, file, about })

/** Every guide, in the order of the steps of a studio. Decisions (docs/adr) are pages without a place in the list. */
export const sections: readonly Section[] = [
  {
    title: 'First steps',
    about: 'From a new game to its first statement, and to players.',
    weight: 1.6,
    of: [
      guide('first-statement', 'Start here: what to do, in each engine, until a statement arrives.'),
      { href: '/reporting', title: 'How a game reports', about: 'Code to copy, for each client and each engine.' },
      guide('launch', 'What a game is given when it starts: endpoint, token, learner, session.'),
      guide('first-lesson', 'For teachers: a school, a class, a code, the board, the report.'),
      guide('schools', 'Classes of a school, lessons with a code, the board, reports.'),
      guide('roster', 'Classes and pupils of a school from a OneRoster file.'),
      guide('lti', 'Games in Moodle, Canvas and other platforms of a school.'),
      guide('saves', 'Saves of learners, slots, conflicts; settings that change without a build.'),
      guide('devices', 'Installed games: linked by a code or a link, offline too.'),
      guide('lifecycle', 'From a draft to a published game: builds, sandbox, review, updates.'),
      guide('push', 'A build from CI to players, in one command.'),
      guide('portal', 'The pages of the portal, in pictures.'),
      guide('quiz', 'A complete small game with its source, to start from.', 'examples/quiz/README.md'),
      guide('status-codes', 'What 400, 401, 403, 409, 429 and others say, and what to do.'),
      { href: '/packaging', title: 'Packaging rules', about: 'What a build may contain, and why one is refused.' },
      { href: '/limits', title: 'Limits and quotas', about: 'All limits of this service, with their figures.' },
    ],
  },
  {
    title: 'Clients',
    about: 'They queue statements, send them in batches and retry. A game calls one function.',
    weight: 1.3,
    of: [
      guide('clients', 'Which client for which engine, and what they have in common.', 'clients/README.md'),
      guide(
        'javascript',
        'For browser games, with or without Phaser, PixiJS or three.js.',
        'clients/javascript/README.md',
      ),
      guide('godot', 'An add-on for Godot 3 and 4.', 'clients/godot/README.md'),
      guide('python', "For pygame, Ren'Py and other games in Python.", 'clients/python/README.md'),
      guide('unity', 'A package for Unity, in C#.', 'clients/unity/README.md'),
      guide('engines', 'LÖVE, libGDX, Bevy, GDevelop and RPG Maker: what each needs to report.'),
    ],
  },
  {
    title: 'What games report',
    about: 'Which statements to send, and what the charts make of them.',
    weight: 1.3,
    of: [
      guide('serious-games', 'Levels, questions, choices and things: the statements that charts understand.'),
      guide('insights', 'What each chart counts, and from which statements.'),
      guide('analytics', 'Statements as CSV and Parquet, with ten questions answered in SQL.'),
      guide('assistants', 'Assistants ask about your games by the Model Context Protocol.'),
      guide('interface-choices', 'What the service does where xAPI leaves room.'),
      guide('conformance', 'Results of the conformance suite, and which clients work.'),
    ],
  },
  {
    title: 'Connecting other systems',
    about: 'Statements for other stores, calls to your server, and scripts.',
    weight: 0.8,
    of: [
      guide('forwarding', 'The service sends statements to another store.'),
      guide('cmi5', 'Another learning management system launches a game, and gets the statements.'),
      guide('webhooks', 'The service calls your server when something happens.'),
      guide('cli', 'Games, statements, learners and exports in a terminal.'),
      guide('services', 'Typed gRPC for services: tokens, imports, following what is stored.'),
      guide('rpc', 'Every method of every service.'),
      guide('typed-clients', 'Services in TypeScript, Python and Java.', 'examples/typed-clients/README.md'),
      guide('deletion', 'Remove statements that were sent by mistake.'),
      guide('privacy', 'Consent, export, erasure, and how long data is kept.'),
    ],
  },
  {
    title: 'For operators',
    about: 'How to run this service.',
    weight: 0.7,
    of: [
      guide('readme', 'What it is, how to start it, the most common settings.', 'README.md'),
      guide('operating', 'Sizes, backup, upgrades, proxies, metrics.'),
      guide('kubernetes', 'A Helm chart: what it needs, makes and does at upgrades.'),
      guide('operator', 'The pages of an operator in the portal.'),
      guide('settings', 'Every setting of every process.'),
      guide('sign-in', 'Signing in with Keycloak, Entra, Google and others.'),
      guide('mail', 'A mail server for links and notices.'),
      guide('storage', 'Where builds and files are kept: a folder, or S3.'),
      guide('audit', 'Who did what, and how to read it.'),
      guide('security', 'Requirements of OWASP ASVS, each with its evidence.'),
      guide('reliability', 'Which failures the store survives, and the tests that show it.'),
      guide('performance', 'Measured figures, and how to get them.'),
      guide('tried', 'What was tried for speed, and what it did.'),
      guide('archive', 'How statements could be kept outside of the database.'),
    ],
  },
  {
    title: 'How it is built',
    about: 'How to change this service.',
    weight: 0.5,
    of: [
      guide('architecture', 'The processes, the folders, and the path of one request.'),
      guide('contributing', 'The check, the tests, and where a line belongs.', 'CONTRIBUTING.md'),
      guide('reporting-a-vulnerability', 'How to report a weakness; the threat model.', 'SECURITY.md'),
      guide('adr', 'Decisions that are expensive to change, with their reasons.', 'docs/adr/README.md'),
    ],
  },
]

export const entries: readonly GuideEntry[] = sections.flatMap(({ of }) => of.filter(isGuide))

/** Of a section, what there is: a guide without a file has no page. */
export const presentIn = ({ of }: Section, guides: ReadonlyMap<string, unknown>): (GuideEntry | PageEntry)[] =>
  of.filter((entry) => !isGuide(entry) || guides.has(entry.name))
