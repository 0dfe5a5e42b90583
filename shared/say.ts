/** A text for people: `text` shows the values in it that came from outside, `form` does not. Only forms are kept. */
export interface Said {
  readonly text: string
  readonly form: string
}

/** A text that stands in the code as it is. One that is put together while it runs has to be a Said. */
export type Words<T extends string> = Said | (Record<'', 1> extends Record<T, 1> ? never : T)

/** A text around values from outside; a Said among them keeps its own form. */
export function say(
  { raw: _raw, ...parts }: TemplateStringsArray,
  ...values: readonly (string | number | Said)[]
): Said {
  const around = (shown: (value: string | number | Said) => string | number): string =>
    values.reduce<string>((text, value, n) => text + shown(value) + parts[n + 1]!, parts[0]!)
  return {
    text: around((value) => (typeof value === 'object' ? value.text : value)),
    form: around((value) => (typeof value === 'object' ? value.form : '…')),
  }
}

/** A text without a value from outside, although it is put together. */
export const ours = (text: string | number): Said => ({ text: `${text}`, form: `${text}` })

export const said = (words: string | Said): Said => (typeof words === 'string' ? ours(words) : words)
