import { html, type Html } from '../../web/html.ts'

/** What is known of one thing, by name. */
export const factsOf = (facts: readonly (readonly [string, Html | string])[]): Html =>
  html`<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
