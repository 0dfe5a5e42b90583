import { SettingError, type Env, type Kind } from './kinds.ts'
import { table, type Reader, type Setting } from './table.ts'

type Table = typeof table
export type SettingName = keyof Table

type Value<N extends SettingName> = Table[N] extends { readonly as: Kind<infer T> }
  ? T | (Table[N] extends { readonly usual: unknown } ? never : undefined)
  : never

type Camel<S extends string> = S extends `${infer A}_${infer B}`
  ? `${Lowercase<A>}${Capitalize<Camel<B>>}`
  : Lowercase<S>

/** LRS_AUDIT_DAYS is `auditDays`; CORE_PORT is `corePort`, and just `port` for core. */
type Field<N extends string, R extends Reader> = N extends `LRS_${infer S}`
  ? Camel<S>
  : N extends `${Uppercase<R>}_${infer S}`
    ? Camel<S>
    : Camel<N>

type NameOf<R extends Reader> = { [N in SettingName]: R extends Table[N]['by'][number] ? N : never }[SettingName]
type Sure<N extends SettingName> = N extends unknown ? (undefined extends Value<N> ? never : N) : never

/** What a process reads, by field. */
export type Settings<R extends Reader> = { readonly [N in Sure<NameOf<R>> as Field<N, R>]: Value<N> } & {
  readonly [N in Exclude<NameOf<R>, Sure<NameOf<R>>> as Field<N, R>]?: Value<N>
}

/** @throws SettingError */
export function readSetting<N extends SettingName>(name: N, env: Env): Value<N> {
  const { as: kind, usual }: Setting = table[name]
  const value = env[name]
  return (value ? kind.parse(name, value) : usual) as Value<N>
}

/** All settings of a reader. @throws SettingError */
export function readSettings<R extends Reader>(reader: R, env: Env): Settings<R> {
  return Object.fromEntries(
    namesOf(reader).map((name) => [fieldOf(name, reader), readSetting(name, env)]),
  ) as Settings<R>
}

/** The names of the settings that it reads. */
export const namesOf = (reader: Reader): SettingName[] =>
  (Object.entries<Setting>(table) as [SettingName, Setting][]).flatMap(([name, { by }]) =>
    by.includes(reader) ? [name] : [],
  )

export const fieldOf = (name: string, reader: Reader): string =>
  name
    .replace(new RegExp(`^(LRS|${reader.toUpperCase()})_`), '')
    .toLowerCase()
    .replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())

/** The value of a setting that a process cannot do without. @throws SettingError */
export function needed<T>(name: SettingName, value: T | undefined, why: string): T {
  if (value !== undefined) return value
  throw new SettingError(`${name} is not set: ${why}`)
}

/** Settings whose value may be in a file, like secrets of containers: the setting `<name>_FILE` is its path. */
export const secretSettings: readonly string[] = Object.entries<Setting>(table).flatMap(([name, { as: kind }]) =>
  kind.isSecret ? [name] : [],
)
