/** A field of a form for a time zone. */
export const zoneField = {
  name: 'zone',
  label: 'Time zone',
  maxLength: 60,
  autocomplete: 'off',
  choices: ['UTC', ...Intl.supportedValuesOf('timeZone')].map((value) => ({ value, text: '' })),
} as const
