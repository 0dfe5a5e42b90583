/** What can be wrong with a roster; docs/roster.md says what to do. */
export type RosterRule =
  | 'zip'
  | 'utf-16'
  | 'not-utf-8'
  | 'separator'
  | 'quotes'
  | 'rows'
  | 'version'
  | 'mode'
  | 'missing-file'
  | 'missing-column'
  | 'missing-value'
  | 'text'
  | 'choice'
  | 'date'
  | 'double'
  | 'unknown'
  | 'class-full'
  | 'classes-full'

export interface RosterFault {
  readonly file: string
  /** From 1, as in a text editor; 0: the file as a whole. */
  readonly line: number
  /** Empty: the row as a whole. */
  readonly column: string
  readonly rule: RosterRule
  /** What stands there. */
  readonly value: string
  /** What may stand there; empty: the rule says it. */
  readonly expected: string
}

type Place = Pick<RosterFault, 'file'> & Partial<RosterFault>

/** Counts faults, and keeps the first ones. */
export function faultList(most: number) {
  const kept: RosterFault[] = []
  let count = 0
  return {
    kept,
    get count() {
      return count
    },
    add(rule: RosterRule, { file, line = 0, column = '', value = '', expected = '' }: Place): void {
      count++
      if (kept.length < most) kept.push({ file, line, column, rule, value: value.slice(0, 100), expected })
    },
  }
}

export type FaultList = ReturnType<typeof faultList>
