import { Problem } from '../../process/problem.ts'
import { gameTexts, learnerName, line as lineOf } from '../../process/rules/text.ts'
import type { FaultList } from './roster-faults.ts'

/** A row of a CSV file. */
export interface Row {
  /** From 1, as in a text editor. */
  readonly line: number
  readonly values: readonly string[]
}

/** What is kept of a OneRoster file: ids and names of classes and their pupils. `gone`: they are to leave. */
export interface Roster {
  /** It has only what changes. */
  readonly isDelta: boolean
  readonly classes: readonly {
    readonly id: string
    readonly title: string
    readonly gone: boolean
    readonly line: number
  }[]
  readonly people: readonly RosterPerson[]
  readonly places: readonly RosterPlace[]
}

export interface RosterPerson {
  readonly id: string
  readonly given: string
  readonly family: string
  readonly gone: boolean
}

/** A pupil in a class. */
export interface RosterPlace {
  readonly class: string
  readonly person: string
  readonly gone: boolean
  readonly line: number
}

interface Column {
  readonly required?: boolean
  /** Most characters. */
  readonly max?: number
  readonly of?: readonly string[]
  readonly isDate?: boolean
  /** Ids of this file; several have commas between them. */
  readonly refers?: FileName
  /** Also a row that is to be deleted has it. */
  readonly always?: boolean
}

const id: Column = { required: true, always: true, max: 255 }
const required: Column = { required: true }
const date: Column = { isDate: true }
const common = { sourcedId: id, status: { of: ['active', 'tobedeleted'], always: true } }

/** The files and columns that are read (OneRoster CSV 1.1 and 1.2). All others are left out. */
const columns = {
  orgs: { ...common, name: required, type: required, parentSourcedId: { refers: 'orgs' } },
  academicSessions: {
    ...common,
    title: required,
    startDate: { ...date, required: true },
    endDate: { ...date, required: true },
    parentSourcedId: { refers: 'academicSessions' },
  },
  courses: { ...common, title: required, orgSourcedId: { required: true, refers: 'orgs' } },
  classes: {
    ...common,
    title: required,
    courseSourcedId: { required: true, refers: 'courses' },
    schoolSourcedId: { required: true, refers: 'orgs' },
    termSourcedIds: { required: true, refers: 'academicSessions' },
  },
  users: {
    ...common,
    enabledUser: { required: true, of: ['true', 'false'] },
    givenName: required,
    familyName: required,
    preferredGivenName: {},
  },
  enrollments: {
    ...common,
    classSourcedId: { ...id, refers: 'classes' },
    schoolSourcedId: { required: true, refers: 'orgs' },
    userSourcedId: { ...id, refers: 'users' },
    role: { ...required, always: true },
    beginDate: date,
    endDate: date,
  },
} as const satisfies Record<string, Readonly<Record<string, Column>>>

type FileName = 'orgs' | 'academicSessions' | 'courses' | 'classes' | 'users' | 'enrollments'
type Values = Readonly<Record<string, string>>
type Read = { readonly line: number; readonly values: Values; readonly gone: boolean }

export const rosterFiles = Object.keys(columns) as FileName[]
const needed: readonly FileName[] = ['classes', 'users', 'enrollments']

/** Which of the files there are, and whether they have only changes. Faults leave it undefined. */
export function modesOf(
  manifest: readonly Row[],
  faults: FaultList,
): ReadonlyMap<FileName, 'bulk' | 'delta'> | undefined {
  const file = 'manifest.csv'
  const before = faults.count
  const lines = new Map(
    manifest.map(({ line, values: [name = '', value = ''] }) => [name.trim(), { line, value: value.trim() }]),
  )
  const version = lines.get('oneroster.version')
  if (!/^1\.[12](\.\d+)?$/.test(version?.value ?? ''))
    faults.add('version', { file, ...version, column: 'oneroster.version', expected: '1.1, 1.2' })
  const modes = new Map<FileName, 'bulk' | 'delta'>()
  for (const name of rosterFiles) {
    const mode = lines.get(`file.${name}`)
    if (mode?.value === 'bulk' || mode?.value === 'delta') modes.set(name, mode.value)
    else if (mode !== undefined && mode.value !== 'absent')
      faults.add('choice', { file, ...mode, column: `file.${name}`, expected: 'bulk, delta, absent' })
  }
  const kinds = new Set(needed.map((name) => modes.get(name)))
  if (faults.count === before && (kinds.size > 1 ? kinds.has('bulk') : kinds.has(undefined)))
    faults.add('mode', { file, value: needed.map((name) => `${name} ${modes.get(name) ?? 'absent'}`).join(', ') })
  return faults.count === before ? modes : undefined
}

/**
 * Checks the files, and keeps what a school needs of them.
 * @param files the rows of each file; the first one has the names of columns
 * @param today such as 2026-11-28: what has ended by then is gone
 */
export function rosterOf(
  modes: ReadonlyMap<FileName, 'bulk' | 'delta'>,
  files: ReadonlyMap<string, readonly Row[]>,
  today: string,
  faults: FaultList,
): Roster {
  const read = new Map<FileName, readonly Read[]>()
  for (const name of modes.keys()) {
    const rows = readFile(name, files.get(name) ?? [], faults)
    if (rows) read.set(name, rows)
  }
  for (const [name, rows] of read) {
    for (const [column, { refers }] of columnsOf(name)) {
      // a file with changes only may refer to what came before
      const there = refers !== undefined && modes.get(refers) === 'bulk' ? read.get(refers) : undefined
      if (there) checkReferences(`${name}.csv`, column, rows, there, `${refers}.csv`, faults)
    }
  }
  const rowsOf = (name: FileName) => read.get(name) ?? []
  const ended = ({ endDate }: Values) => endDate !== undefined && endDate !== '' && endDate <= today
  const running = new Map(rowsOf('academicSessions').map(({ values }) => [values['sourcedId'], !ended(values)]))
  const places = rowsOf('enrollments')
    .filter(({ values }) => values['role'] === 'student')
    .map(({ line, gone, values }) => ({
      class: values['classSourcedId']!,
      person: values['userSourcedId']!,
      gone: gone || ended(values),
      line,
    }))
  return {
    isDelta: modes.get('enrollments') !== 'bulk',
    classes: rowsOf('classes').map(({ line, gone, values }) => ({
      id: values['sourcedId']!,
      title: values['title'] ?? '',
      gone: gone || listed(values['termSourcedIds']).every((term) => running.get(term) === false),
      line,
    })),
    people: rowsOf('users').map(({ gone, values }) => ({
      id: values['sourcedId']!,
      given: values['preferredGivenName'] || values['givenName'] || '',
      family: values['familyName'] ?? '',
      gone: gone || values['enabledUser'] === 'false',
    })),
    places,
  }
}

/** Without people who are no pupils. @param known pupils of whom there may be changes */
export function onlyPupils(roster: Roster, known: ReadonlySet<string | null>): Roster {
  const pupils = new Set(roster.places.map(({ person }) => person))
  return { ...roster, people: roster.people.filter(({ id }) => pupils.has(id) || known.has(id)) }
}

const columnsOf = (name: FileName) => Object.entries<Column>(columns[name])
const listed = (value = '') => value.split(',').map((one) => one.trim())

/** The rows of a file; undefined: columns are missing. */
function readFile(name: FileName, [head, ...rows]: readonly Row[], faults: FaultList): Read[] | undefined {
  const file = `${name}.csv`
  const names = head?.values.map((one) => one.trim()) ?? []
  if (names.length === 1 && /[;\t]/.test(names[0]!)) {
    faults.add('separator', { file, line: 1, value: names[0]! })
    return undefined
  }
  const before = faults.count
  for (const [column, { required }] of columnsOf(name))
    if (required && !names.includes(column)) faults.add('missing-column', { file, line: 1, column })
  if (faults.count > before) return undefined
  const seen = new Map<string, number>()
  // a file may have thousands of columns: only those that are read are looked at in each row
  const at = new Map(
    ['status', ...columnsOf(name).map(([column]) => column)].map((one) => [one, names.lastIndexOf(one)]),
  )
  return rows.map(({ line, values }) => {
    const raw = (column: string) => (values[at.get(column) ?? -1] ?? '').trim()
    const gone = raw('status').toLowerCase() === 'tobedeleted'
    const kept: Record<string, string> = {}
    for (const [column, rule] of columnsOf(name))
      if (!gone || rule.always) kept[column] = valueOf(raw(column), rule, { file, line, column }, faults)
    const { sourcedId = '' } = kept
    const other = seen.get(sourcedId)
    if (other !== undefined && sourcedId !== '')
      faults.add('double', { file, line, column: 'sourcedId', value: sourcedId, expected: `${other}` })
    else seen.set(sourcedId, line)
    return { line, values: kept, gone }
  })
}

function valueOf(
  value: string,
  { required, max, of, isDate }: Column,
  at: { readonly file: string; readonly line: number; readonly column: string },
  faults: FaultList,
): string {
  if (value === '') {
    if (required) faults.add('missing-value', at)
    return ''
  }
  if (of) {
    const lower = value.toLowerCase()
    if (!of.includes(lower)) faults.add('choice', { ...at, value, expected: of.join(', ') })
    return lower
  }
  if (isDate) {
    const isReal = /^\d{4}-\d\d-\d\d$/.test(value) && new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value)
    if (!isReal) faults.add('date', { ...at, value, expected: 'YYYY-MM-DD' })
    return value
  }
  const most = max ?? textLimits[at.column]
  if (most === undefined) return value
  try {
    return lineOf(value, at.column, { max: most })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    faults.add('text', { ...at, value, expected: `${most}` })
    return ''
  }
}

/** Of texts that are kept. */
const textLimits: Readonly<Record<string, number>> = {
  title: gameTexts.name.max,
  givenName: learnerName.max,
  preferredGivenName: learnerName.max,
  familyName: learnerName.max,
}

function checkReferences(
  file: string,
  column: string,
  rows: readonly Read[],
  there: readonly Read[],
  expected: string,
  faults: FaultList,
): void {
  const ids = new Set(there.map(({ values }) => values['sourcedId']))
  for (const { line, gone, values } of rows)
    for (const id of gone ? [] : listed(values[column]))
      if (id !== '' && !ids.has(id)) faults.add('unknown', { file, line, column, value: id, expected })
}
