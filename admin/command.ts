import { Argument, Option, type Command } from 'commander'
import type { CoreClient } from './core-client.ts'
import type { Session } from './session.ts'
import type { Shown } from './show.ts'

/** What an option or an argument is, in a text for the help, or with more than that. */
type About = string | Described
interface Described {
  readonly about: string
  readonly choices?: readonly string[]
  /** Makes a value of the text. @throws InvalidArgumentError */
  readonly parse?: (text: string) => unknown
  readonly default?: string | number
  /** The value of an option without one. */
  readonly preset?: string
  readonly required?: true
  /** The help does not show it. */
  readonly hidden?: true
}
type Abouts = Readonly<Record<string, About>>

type Camel<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Text
type FirstWord<Text extends string> = Text extends `${infer Word} ${string}` ? Word : Text
type ArgumentName<Text extends string> = Text extends `${infer Name}...` ? Name : Text
/** The name of a value: `givenUp` of `--given-up`, `last` of `-n, --last <n>`, `secret` of `--no-secret`. */
type NameOf<Flags extends string> = Flags extends `${string}--no-${infer Name}` | `${string}--${infer Name}`
  ? Flags extends `${string}--no-${infer Off}`
    ? Camel<FirstWord<Off>>
    : Camel<FirstWord<Name>>
  : Flags extends `<${infer Name}>` | `[${infer Name}]`
    ? ArgumentName<Name>
    : never

type OneOf<What> = What extends { parse: (text: string) => infer Value }
  ? Value
  : What extends { choices: readonly (infer Choice)[] }
    ? Choice
    : string
/** Of `--no-secret` only false counts: without the option it is true, or what `--secret` says. */
type ValueOf<Flags extends string, What> = Flags extends `${string}...${']' | '>'}`
  ? readonly OneOf<What>[]
  : Flags extends `${string}${'<' | '['}${string}`
    ? OneOf<What>
    : Flags extends `--no-${string}`
      ? false
      : boolean

/** Names of what always has a value. */
type Sure<All> = {
  [Name in keyof All & string]: Name extends `<${string}`
    ? Name
    : All[Name] extends { required: true } | { default: string | number }
      ? Name
      : never
}[keyof All & string]

/** The values that a command gets for these arguments and options. */
export type Values<All> = {
  readonly [Flags in Sure<All> as NameOf<Flags>]: ValueOf<Flags, All[Flags]>
} & { readonly [Flags in Exclude<keyof All & string, Sure<All>> as NameOf<Flags>]?: ValueOf<Flags, All[Flags]> }

interface Spec<Arguments, Options, Run> {
  readonly about: string
  /** Arguments in their order, as `<game>`, `[game]`, `[command...]`. */
  readonly takes?: Arguments
  /** By their flags, as `-n, --last <n>`. */
  readonly options?: Options
  /** What the help says below the options. */
  readonly notes?: string
  readonly examples: readonly string[]
  readonly run: Run
}

/** What a command does. What it returns is shown; what writes by itself returns nothing. */
export type Work<Given> = (session: Session, given: Given) => Promise<Shown | void>
export type Call<Given> = (core: CoreClient, given: Given, session: Session) => Promise<Shown | void>

/** Makes a handler for commander. */
export type Act = (work: Work<never>) => (...parsed: unknown[]) => Promise<void>
/** Fills in a command that has its name. */
export type Declared = (made: Command, act: Act) => void

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- no option has a value
type None = Record<never, never>

/** A command that calls core. */
export const command = <const Arguments extends Abouts = None, const Options extends Abouts = None>(
  spec: Spec<Arguments, Options, Call<Values<Arguments> & Values<Options>>>,
): Declared =>
  localCommand<Arguments, Options>({
    ...spec,
    run: async (session, given) => spec.run(await session.connect(), given, session),
  })

/** A command that does without core, or says first what it can say without. */
export const localCommand =
  <const Arguments extends Abouts = None, const Options extends Abouts = None>(
    spec: Spec<Arguments, Options, Work<Values<Arguments> & Values<Options>>>,
  ): Declared =>
  (made, act) => {
    made.description(spec.about).action(act(spec.run))
    for (const [usage, what] of Object.entries<About>(spec.takes ?? {})) made.addArgument(argumentOf(usage, what))
    for (const [flags, what] of Object.entries<About>(spec.options ?? {})) made.addOption(optionOf(flags, what))
    const examples = spec.examples.map((line) => `  games-lrs ${line}`).join('\n')
    made.addHelpText('after', `\n${spec.notes ? `${spec.notes}\n\n` : ''}Examples:\n${examples}`)
  }

const described = (what: About): Described => (typeof what === 'string' ? { about: what } : what)

function argumentOf(usage: string, what: About): Argument {
  const { about, choices } = described(what)
  const argument = new Argument(usage, about)
  return choices ? argument.choices(choices) : argument
}

function optionOf(flags: string, what: About): Option {
  const { about, choices, parse, default: usual, preset, required = false, hidden = false } = described(what)
  const option = new Option(flags, about).makeOptionMandatory(required).hideHelp(hidden)
  if (choices) option.choices(choices)
  if (parse) option.argParser(parse)
  if (usual !== undefined) option.default(usual)
  if (preset !== undefined) option.preset(preset)
  return option
}
