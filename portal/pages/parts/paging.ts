import { html, type Html } from '../../web/html.ts'

/** The way through a list that is shown in pages; undefined: it is all here. @param first,next addresses; false: none */
export const pages = (
  first: string | false,
  next: string | false,
  { back = 'Back to the newest', onward = 'Older ones' }: { back?: string; onward?: string } = {},
): Html | undefined =>
  first === false && next === false
    ? undefined
    : html`<nav class="actions" aria-label="Pages">
        ${first !== false && html`<a class="button quiet" href="${first}">${back}</a>`}
        ${next !== false && html`<a class="button" rel="next" href="${next}">${onward}</a>`}</nav>`
