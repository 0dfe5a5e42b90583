import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  largeSchool,
  manifest,
  numbers,
  rosterFiles,
  rosterZip,
  type RosterSchool,
} from '../../../test/support/roster.ts'
import { readRosterZip } from '../package/roster-zip.ts'
import { changesOf, type RosterState } from './roster-changes.ts'
import { faultList } from './roster-faults.ts'
import { modesOf, rosterFiles as read, rosterOf, type Roster } from './roster.ts'

type Files = Record<string, string | Buffer>

/** What is read of a zip, and `file:line column rule` of its faults. */
async function readZip(zip: Buffer) {
  const faults = faultList(100)
  const { files, ignored } = await readRosterZip(
    zip,
    ['manifest', ...read].map((name) => `${name}.csv`),
    faults,
  )
  const modes = faults.count === 0 ? modesOf(files.get('manifest.csv') ?? [], faults) : undefined
  const rows = new Map(Array.from(files, ([name, found]) => [name.replace('.csv', ''), found]))
  const roster = modes && rosterOf(modes, rows, '2026-11-28', faults)
  const told = faults.kept.map(({ file, line, column, rule }) => `${file}:${line} ${column} ${rule}`)
  return { roster: roster!, told, faults: faults.kept, count: faults.count, ignored }
}

const small: RosterSchool = {
  classes: { '4a': [1, 2], '4b': [2, 3] },
  names: { 1: 'Ada Lovelace', 2: 'Bo Li', 3: 'Cy Ng' },
}
const filesOf = (change: (files: Record<string, string>) => Files | void) => {
  const files = rosterFiles(small) as Record<string, string>
  return { ...files, ...change(files) }
}

describe('a roster file', () => {
  test.each(['1.1', '1.2'] as const)(
    'of version %s has classes and their pupils, and nothing of others',
    async (version) => {
      const { roster, told, ignored } = await readZip(rosterZip(rosterFiles({ ...small, version })))
      expect(told).toEqual([])
      expect(ignored).toEqual(['demographics.csv'])
      expect(roster.classes.map(({ title }) => title)).toEqual(['4a', '4b'])
      expect(roster.places).toHaveLength(4)
      expect(JSON.stringify(roster)).not.toMatch(/secret|user-1|2015/)
    },
  )

  const row = (text: string, from: string, to: string) => {
    expect(text).toContain(from)
    return text.replace(from, to)
  }
  const latin = (text: string) => Buffer.from(row(text, 'Ada', 'Zoë'), 'latin1')
  test.each<[string, string[], (files: Record<string, string>) => Files]>([
    ['a byte order mark', [], (f) => ({ 'users.csv': `\uFEFF${f['users.csv']}` })],
    ['ISO-8859-1', ['users.csv:3  not-utf-8'], (f) => ({ 'users.csv': latin(f['users.csv']!) })],
    ['UTF-16', ['users.csv:0  utf-16'], (f) => ({ 'users.csv': Buffer.from(`\uFEFF${f['users.csv']}`, 'utf16le') })],
    ['semicolons', ['users.csv:1  separator'], (f) => ({ 'users.csv': f['users.csv']!.replaceAll(',', ';') })],
    [
      'a quote that is not closed',
      ['users.csv:3  quotes'],
      (f) => ({ 'users.csv': row(f['users.csv']!, 'Ada', '"Ada') }),
    ],
    [
      'quotes, commas and line breaks in a value',
      [],
      (f) => ({ 'orgs.csv': row(f['orgs.csv']!, 'Hill School', '"Hill, ""the""\r\nSchool"') }),
    ],
    [
      'a line after a value of two lines',
      ['users.csv:4 givenName missing-value'],
      (f) => ({ 'users.csv': row(row(f['users.csv']!, 'teacher,,', 'teacher,"x\n",'), 'Ada', '') }),
    ],
    [
      'a version of its own',
      ['manifest.csv:3 oneroster.version version'],
      (f) => ({ 'manifest.csv': row(f['manifest.csv']!, '1.2', '2.0') }),
    ],
    [
      'bulk and delta',
      ['manifest.csv:0  mode'],
      (f) => ({ 'manifest.csv': row(f['manifest.csv']!, 'users,bulk', 'users,delta') }),
    ],
    [
      'another mode',
      ['manifest.csv:9 file.users choice'],
      (f) => ({ 'manifest.csv': row(f['manifest.csv']!, 'users,bulk', 'users,some') }),
    ],
    [
      'a missing column',
      ['users.csv:1 givenName missing-column'],
      (f) => ({ 'users.csv': row(f['users.csv']!, 'givenName', 'firstName') }),
    ],
    ['a further column', [], (f) => ({ 'orgs.csv': f['orgs.csv']!.replaceAll('\r\n', ',x\r\n') })],
    [
      'no first name',
      ['users.csv:3 givenName missing-value'],
      (f) => ({ 'users.csv': row(f['users.csv']!, 'Ada', '') }),
    ],
    [
      'a name with an invisible character',
      ['users.csv:3 givenName text'],
      (f) => ({ 'users.csv': row(f['users.csv']!, 'Ada', 'A\u202Eda') }),
    ],
    [
      'a long title',
      ['classes.csv:2 title text'],
      (f) => ({ 'classes.csv': row(f['classes.csv']!, ',4a,', `,${'x'.repeat(101)},`) }),
    ],
    [
      'a status of its own',
      ['users.csv:3 status choice'],
      (f) => ({ 'users.csv': row(f['users.csv']!, 'p-1,', 'p-1,inactive') }),
    ],
    [
      'a date that is none',
      ['academicSessions.csv:2 endDate date'],
      (f) => ({ 'academicSessions.csv': row(f['academicSessions.csv']!, '2027-07-31', '2027-02-30') }),
    ],
    [
      'a German date',
      ['academicSessions.csv:2 endDate date'],
      (f) => ({ 'academicSessions.csv': row(f['academicSessions.csv']!, '2027-07-31', '31.07.2027') }),
    ],
    [
      'an id twice',
      ['users.csv:4 sourcedId double'],
      (f) => ({
        'users.csv': row(f['users.csv']!, 'p-2', 'p-1'),
        'enrollments.csv': f['enrollments.csv']!.replaceAll('p-2', 'p-1'),
      }),
    ],
    [
      'a pupil who is not there',
      ['enrollments.csv:3 userSourcedId unknown'],
      (f) => ({ 'enrollments.csv': row(f['enrollments.csv']!, 'p-1', 'p-9') }),
    ],
    [
      'a term that is not there',
      ['classes.csv:2 termSourcedIds unknown'],
      (f) => ({ 'classes.csv': row(f['classes.csv']!, 'org-1,year', 'org-1,"year,half"') }),
    ],
  ])('%s', async (_, expected, change) => {
    const { told } = await readZip(rosterZip(filesOf(change)))
    expect(told).toEqual(expected)
  })

  test('that is cut off, or no zip, is refused as a whole', async () => {
    const zip = rosterZip(rosterFiles(small))
    for (const bytes of [zip.subarray(0, zip.length / 2), Buffer.from('sourcedId'), Buffer.alloc(0)])
      expect((await readZip(bytes)).told).toEqual([`roster.zip:0  zip`])
  })

  test('shows the first 100 of its faults, and counts all', async () => {
    const files = rosterFiles({ classes: { '4a': numbers(250) } }) as Record<string, string>
    const { faults, count } = await readZip(
      rosterZip({ ...files, 'users.csv': files['users.csv']!.replaceAll(/Given\d+/g, '') }),
    )
    expect([faults.length, count]).toEqual([100, 250])
  })

  test('has terms and places that have ended among those who leave', async () => {
    const { roster } = await readZip(
      rosterZip(
        filesOf((f) => ({
          'academicSessions.csv': `${f['academicSessions.csv']}past,,,2025,term,2025-08-01,2026-07-31,,2026\r\n`,
          'classes.csv': row(
            f['classes.csv']!,
            ',4b,,course-1,,homeroom,,org-1,year',
            ',4b,,course-1,,homeroom,,org-1,past',
          ),
          'enrollments.csv': row(f['enrollments.csv']!, 'p-1,student,,,', 'p-1,student,,,2026-11-28'),
        })),
      ),
    )
    expect(roster.classes.map(({ gone }) => gone)).toEqual([false, true])
    expect(roster.places.map(({ gone }) => gone)).toEqual([true, false, false, false])
  })
})

/** The school after these changes, as the store would have it. */
function after(state: RosterState, roster: Roster): RosterState {
  const { newClasses, renamedClasses, joins, renames, leaves } = changesOf(roster, state, limits, faultList(0))
  const classes = [
    ...state.classes.map((one) => ({ ...one, name: renamedClasses.find(({ id }) => id === one.id)?.name ?? one.name })),
    ...newClasses.map((one) => ({ id: `${one.class}!`, name: one.name, subject: one.class })),
  ]
  const idOf = (subject: string) => classes.find((one) => one.subject === subject)!.id
  const gone = new Set(leaves.map(({ pupil }) => pupil))
  const pupils = state.pupils.map((one) => {
    const move = joins.find(({ pupil }) => pupil === one.id)
    if (move) return { ...one, class: idOf(move.class), name: move.name }
    return {
      ...one,
      class: gone.has(one.id) ? null : one.class,
      name: renames.find(({ pupil }) => pupil === one.id)?.name ?? one.name,
    }
  })
  const fresh = joins
    .filter(({ pupil }) => pupil === undefined)
    .map((one) => ({
      id: `${one.class} ${one.subject} ${state.pupils.length}`,
      class: idOf(one.class),
      name: one.name,
      subject: one.subject,
    }))
  return { classes, pupils: [...pupils, ...fresh] }
}

const limits = { classes: 500, ofClass: 100 }
const nothing: RosterState = { classes: [], pupils: [] }
const rosterFor = async (school: RosterSchool) => (await readZip(rosterZip(rosterFiles(school)))).roster
const counts = (roster: Roster, state: RosterState) => {
  const { newClasses, renamedClasses, emptied, joins, renames, leaves } = changesOf(
    roster,
    state,
    limits,
    faultList(100),
  )
  const moves = joins.filter(({ pupil }) => pupil !== undefined).length
  const all = {
    classes: newClasses.length,
    titles: renamedClasses.length,
    emptied: emptied.length,
    joins: joins.length,
    moves,
    renames: renames.length,
    leaves: leaves.length,
  }
  return Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0))
}

describe('the changes', () => {
  test('of a first file are all of it; the same file again changes nothing', async () => {
    const roster = await rosterFor({ classes: largeSchool() })
    expect(counts(roster, nothing)).toEqual({ classes: 40, joins: 1_000 })
    expect(counts(roster, after(nothing, roster))).toEqual({})
  })

  test.each<[string, Record<string, number>, (classes: Record<string, number[]>) => Partial<RosterSchool>]>([
    ['leavers', { leaves: 30 }, (c) => ({ classes: { ...c, 'Class 1': [], 'Class 2': c['Class 2']!.slice(5) } })],
    [
      'pupils of another class',
      { joins: 5, moves: 5 },
      (c) => ({
        classes: {
          ...c,
          'Class 1': c['Class 1']!.slice(5),
          'Class 2': [...c['Class 2']!, ...c['Class 1']!.slice(0, 5)],
        },
      }),
    ],
    ['a pupil in a second class', { joins: 1 }, (c) => ({ classes: { ...c, 'Class 1': [...c['Class 1']!, 900] } })],
    ['a class that is not there any more', { emptied: 1, leaves: 25 }, ({ 'Class 1': _, ...classes }) => ({ classes })],
    ['a new name', { renames: 1 }, (classes) => ({ classes, names: { 7: 'Grace Hopper' } })],
    ['a family name that nobody sees', {}, (classes) => ({ classes, names: { 7: 'Given7 Hopper' } })],
    ['a first name that the class has', { renames: 1 }, (classes) => ({ classes, names: { 7: 'Given8 Hopper' } })],
    ['new pupils', { joins: 2 }, (c) => ({ classes: { ...c, 'Class 1': [...c['Class 1']!, 1_001, 1_002] } })],
  ])('of a school of 1,000 with %s', async (_, expected, change) => {
    const first = { classes: largeSchool() }
    const state = after(nothing, await rosterFor(first))
    // classes without anybody are not in the result
    const told = counts(await rosterFor({ ...first, ...change(first.classes) }), state)
    expect({ ...told, ...(expected['emptied'] === undefined && { emptied: undefined }) }).toEqual({
      ...expected,
      ...(expected['emptied'] === undefined && { emptied: undefined }),
    })
  })

  test('keep the pupil of a person who comes back', async () => {
    const full = await rosterFor(small)
    const state = after(nothing, full)
    const gone = after(state, await rosterFor({ ...small, classes: { '4a': [1] } }))
    expect(gone.pupils.filter((one) => one.class === null).map(({ subject }) => subject)).toEqual(['p-2', 'p-2', 'p-3'])
    expect(counts(full, gone)).toEqual({ joins: 3, moves: 3 })
  })

  test('call two with one first name by their whole names, and two with the same name by a number', async () => {
    const names = { 1: 'Ada Li', 2: 'ada Ng', 3: 'Bo Li', 4: 'Bo Li', 5: 'Cy Ng' }
    const { joins } = changesOf(
      await rosterFor({ classes: { '4a': numbers(5) }, names }),
      nothing,
      limits,
      faultList(0),
    )
    expect(joins.map(({ name }) => name)).toEqual(['Ada Li', 'ada Ng', 'Bo Li', 'Bo Li (2)', 'Cy'])
  })

  test('leave alone what was made by hand', async () => {
    const by = (state: RosterState): RosterState => ({
      classes: [...state.classes, { id: 'x', name: 'Chess', subject: null }],
      pupils: [...state.pupils, { id: 'y', class: 'c-4a!', name: 'Ada', subject: null }],
    })
    const state = by(after(nothing, await rosterFor(small)))
    expect(counts(await rosterFor({ ...small, classes: { '4b': [2, 3] } }), state)).toEqual({ emptied: 1, leaves: 2 })
  })

  test('of a delta are its rows only', async () => {
    const state = after(nothing, await rosterFor(small))
    const modes = { classes: 'delta', users: 'delta', enrollments: 'delta' }
    const { roster, told } = await readZip(
      rosterZip({
        'manifest.csv': manifest(modes),
        'classes.csv':
          'sourcedId,status,title,courseSourcedId,schoolSourcedId,termSourcedIds\nc-4a,active,4A,course-1,org-1,year\n',
        'users.csv':
          'sourcedId,status,enabledUser,givenName,familyName\np-3,tobedeleted,,,\np-4,active,true,Di,Ko\np-1,active,true,Adele,Lovelace\n',
        'enrollments.csv':
          'sourcedId,status,classSourcedId,schoolSourcedId,userSourcedId,role\n1,active,c-4a,org-1,p-4,student\n2,tobedeleted,c-4a,org-1,p-2,student\n',
      }),
    )
    expect(told).toEqual([])
    expect(counts(roster, state)).toEqual({ titles: 1, joins: 1, renames: 1, leaves: 2 })
  })

  test('of a delta do not refer to what nobody knows', async () => {
    const { roster } = await readZip(
      rosterZip({
        'manifest.csv': manifest({ enrollments: 'delta' }),
        'enrollments.csv':
          'sourcedId,status,classSourcedId,schoolSourcedId,userSourcedId,role\n1,active,c-4a,org-1,p-9,student\n2,active,c-9,org-1,p-1,student\n',
      }),
    )
    const faults = faultList(100)
    changesOf(roster, after(nothing, await rosterFor(small)), limits, faults)
    expect(faults.kept.map(({ line, column, value }) => [line, column, value])).toEqual([
      [2, 'userSourcedId', 'p-9'],
      [3, 'classSourcedId', 'c-9'],
    ])
  })

  test('are refused for a class of more than 100, and for a school of more than 500 classes', async () => {
    const faults = faultList(100)
    const many = Object.fromEntries(numbers(501).map((n) => [`${n}`, n === 7 ? numbers(101) : [n]]))
    changesOf(await rosterFor({ classes: many }), nothing, limits, faults)
    expect(faults.kept.map(({ rule, line }) => [rule, line])).toEqual([
      ['class-full', 8],
      ['classes-full', 0],
    ])
  })
})

test('a row costs the columns that are read, not those that a file has', async () => {
  const columns = Array.from({ length: 8_000 }, (_, n) => `c${n}`).join(',')
  const rows = Array.from({ length: 5_000 }, () => randomUUID()).join('\n')
  const wide = filesOf((files) => {
    const [head] = files['users.csv']!.split(/\r?\n/)
    return { 'users.csv': `${head},${columns}\n${rows}\n` }
  })
  const before = process.cpuUsage()
  const { told } = await readZip(rosterZip(wide))
  const { user } = process.cpuUsage(before)
  expect(told.join()).toContain('missing-value')
  // with all columns of each row it takes 11 s
  expect(user / 1e6).toBeLessThan(3)
})
