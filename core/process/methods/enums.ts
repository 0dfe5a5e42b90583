type Lower<Name extends string, Gap extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Lowercase<Word>}${Gap}${Lower<Rest, Gap>}`
  : Lowercase<Name>

type ByName<Values, Gap extends string> = {
  readonly [Name in Exclude<keyof Values, 'UNSPECIFIED'> & string as Lower<Name, Gap>]: Values[Name]
}

/** The names that core has for the values of an enum of the contract. */
export type NameIn<Values> = keyof ByName<Values, '-'>

/** The values of an enum of the contract by the names that core has for them: IN_REVIEW is `in-review`. */
export const byName = <Values extends object, const Gap extends string = '-'>(values: Values, gap?: Gap) =>
  Object.fromEntries(
    Object.entries(values)
      // the enum also has its names by their values; 0 is UNSPECIFIED
      .filter(([, value]) => typeof value === 'number' && value > 0)
      .map(([name, value]) => [name.toLowerCase().replaceAll('_', gap ?? '-'), value]),
  ) as ByName<Values, Gap>
