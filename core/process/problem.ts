import { said, say, type Said, type Words } from '../../shared/say.ts'

/** A path, and what may be kept of it: keys from outside are in it as core/records/xapi/values.ts writes them. */
export const pathSaid = (text: string): Said => ({ text, form: text.replaceAll(/\["(?:[^"\\]|\\.)*"\]/g, '["…"]') })

/** A fault of an input: its path, such as `statements[3].actor.mbox`, and what was expected. */
class InputProblem extends Error {
  readonly path: string
  readonly what: string
  /** Names the rule in links to the public pages, such as `packaging#symlink`; empty: none. */
  readonly rule: string
  /** Further faults of the same form. */
  readonly further: readonly Problem[]
  /** Path, what was expected and message, each with what may be kept of it. */
  readonly place: Said
  readonly said: Said
  readonly whole: Said

  constructor(path: string | Said, what: string | Said, rule = '', further: readonly Problem[] = []) {
    const place = typeof path === 'string' ? pathSaid(path) : path
    const told = said(what)
    const whole = place.text ? say`${place}: ${told}` : told
    super(whole.text)
    this.name = 'Problem'
    this.path = place.text
    this.what = told.text
    this.rule = rule
    this.further = further
    this.place = place
    this.said = told
    this.whole = whole
  }
}

export type Problem = InputProblem
/** Its text has to be in the code, or to say which values in it came from outside. */
export const Problem: {
  readonly prototype: Problem
  new <T extends string>(path: string | Said, what: Words<T>, rule?: string, further?: readonly Problem[]): Problem
} = InputProblem
