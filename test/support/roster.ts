import { rawZip } from './zip.ts'

/** A school: its classes, each with the numbers of its pupils. */
export interface RosterSchool {
  readonly classes: Readonly<Record<string, readonly number[]>>
  /** Whole names in place of `Given1 Family1`. */
  readonly names?: Readonly<Record<number, string>>
  readonly version?: '1.1' | '1.2'
}

type Files = Record<string, string | Buffer>

const lines = (...rows: readonly (readonly (string | number)[])[]): string =>
  rows
    .map(
      (row) =>
        `${row.map((one) => (/[",\n]/.test(`${one}`) ? `"${`${one}`.replaceAll('"', '""')}"` : one)).join(',')}\r\n`,
    )
    .join('')

export const manifest = (modes: Readonly<Record<string, string>>, version = '1.2'): string =>
  lines(
    ['propertyName', 'value'],
    ['manifest.version', '1.0'],
    ['oneroster.version', version],
    ...Object.entries(modes).map(([name, mode]) => [`file.${name}`, mode]),
    ['source.systemName', 'Test'],
  )

/** The files of a school in the form of the specification, as a system would write them. */
export function rosterFiles({ classes, names = {}, version = '1.2' }: RosterSchool): Files {
  const pupils = [...new Set(Object.values(classes).flat())]
  const bulk = ['academicSessions', 'classes', 'courses', 'enrollments', 'orgs', 'users', 'demographics']
  const [status, changed] = ['', '']
  const roles = version === '1.1'
  const nameOf = (n: number): string[] => (names[n] ?? `Given${n} Family${n}`).split(' ')
  return {
    'manifest.csv': manifest(Object.fromEntries(bulk.map((name) => [name, 'bulk'])), version),
    'orgs.csv': lines(
      ['sourcedId', 'status', 'dateLastModified', 'name', 'type', 'identifier', 'parentSourcedId'],
      ['org-1', status, changed, 'Hill School', 'school', '', ''],
    ),
    'academicSessions.csv': lines(
      [
        'sourcedId',
        'status',
        'dateLastModified',
        'title',
        'type',
        'startDate',
        'endDate',
        'parentSourcedId',
        'schoolYear',
      ],
      ['year', status, changed, '2026/27', 'schoolYear', '2026-08-01', '2027-07-31', '', '2027'],
    ),
    'courses.csv': lines(
      [
        'sourcedId',
        'status',
        'dateLastModified',
        'schoolYearSourcedId',
        'title',
        'courseCode',
        'grades',
        'orgSourcedId',
        'subjects',
        'subjectCodes',
      ],
      ['course-1', status, changed, 'year', 'All subjects', '', '', 'org-1', '', ''],
    ),
    'classes.csv': lines(
      [
        'sourcedId',
        'status',
        'dateLastModified',
        'title',
        'grades',
        'courseSourcedId',
        'classCode',
        'classType',
        'location',
        'schoolSourcedId',
        'termSourcedIds',
        'subjects',
        'subjectCodes',
        'periods',
      ],
      ...Object.keys(classes).map((name) => [
        `c-${name}`,
        status,
        changed,
        name,
        '',
        'course-1',
        '',
        'homeroom',
        '',
        'org-1',
        'year',
        '',
        '',
        '',
      ]),
    ),
    'users.csv': lines(
      [
        'sourcedId',
        'status',
        'dateLastModified',
        'enabledUser',
        ...(roles ? ['orgSourcedIds', 'role'] : []),
        'username',
        'userIds',
        'givenName',
        'familyName',
        'middleName',
        'identifier',
        'email',
      ],
      [
        't-1',
        status,
        changed,
        'true',
        ...(roles ? ['org-1', 'teacher'] : []),
        'teacher',
        '',
        'Tea',
        'Cher',
        '',
        '',
        'teacher-secret@school.example',
      ],
      ...pupils.map((n) => [
        `p-${n}`,
        status,
        changed,
        'true',
        ...(roles ? ['org-1', 'student'] : []),
        `user-${n}`,
        '',
        nameOf(n)[0]!,
        nameOf(n).slice(1).join(' '),
        '',
        '',
        `secret-${n}@school.example`,
      ]),
    ),
    'enrollments.csv': lines(
      [
        'sourcedId',
        'status',
        'dateLastModified',
        'classSourcedId',
        'schoolSourcedId',
        'userSourcedId',
        'role',
        'primary',
        'beginDate',
        'endDate',
      ],
      ...Object.entries(classes).flatMap(([name, of]) => [
        [`e-${name}-t`, status, changed, `c-${name}`, 'org-1', 't-1', 'teacher', 'true', '', ''],
        ...of.map((n) => [`e-${name}-${n}`, status, changed, `c-${name}`, 'org-1', `p-${n}`, 'student', '', '', '']),
      ]),
    ),
    'demographics.csv': lines(
      ['sourcedId', 'status', 'dateLastModified', 'birthDate', 'sex'],
      ['p-1', status, changed, '2015-01-01', 'female'],
    ),
  }
}

export const rosterZip = (files: Readonly<Files>): Buffer =>
  rawZip(Object.entries(files).map(([name, content]) => ({ name, content })))

/** Numbers from `first`. */
export const numbers = (count: number, first = 1): number[] => Array.from({ length: count }, (_, n) => first + n)

/** A school of 1,000 pupils in 40 classes of 25. */
export const largeSchool = (): Record<string, number[]> =>
  Object.fromEntries(numbers(40).map((n) => [`Class ${n}`, numbers(25, 25 * (n - 1) + 1)]))
