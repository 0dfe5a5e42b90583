import { hash } from 'node:crypto'

/** Names a consent text; empty: there is no text. */
export const consentVersion = (text: string): string => (text === '' ? '' : hash('sha256', text, 'hex'))
