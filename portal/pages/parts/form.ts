import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import { ruleLink } from '../../web/failure.ts'
import { Html, html } from '../../web/html.ts'
import type { Say } from '../../web/say.ts'
import type { Form, Visit } from '../../web/visit.ts'

/** A form that was sent and is shown again. */
export interface Sent {
  readonly failure?: Failure | undefined
  readonly values?: Form | undefined
  /** Below the form. */
  readonly beside?: Html | undefined
  /** There are no passwords: people sign in with a provider only. */
  readonly only?: boolean
}

interface FieldBase {
  /** As core's `path` calls it, so that a refusal finds its field. */
  readonly name: string
  readonly label: string
  readonly value?: string
  readonly hint?: string | Html
  readonly required?: boolean
  /** Replaces `optional` beside the label; empty: nothing is there. */
  readonly note?: string
  /** The refusal of what was sent, if there was one. */
  readonly failure?: Failure | undefined
}

interface Field extends FieldBase {
  readonly type?: 'text' | 'email' | 'password' | 'url' | 'search' | 'date' | 'number'
  readonly autocomplete?: string
  readonly maxLength?: number
  readonly placeholder?: string
  /** Suggestions. */
  readonly choices?: readonly { readonly value: string; readonly text: string }[]
}

/** A form with POST and the CSRF token. */
export const postForm = ({ csrf }: Pick<Visit, 'csrf'>, action: string, content: Html, className = 'form'): Html =>
  html`<form method="post" action="${action}" class="${className}">${csrf}${content}</form>`

interface TextArea extends FieldBase {
  readonly rows: number
}

interface Select extends FieldBase {
  readonly of: readonly { readonly value: string; readonly text: string }[]
}

/** A field of its own making. */
interface Own {
  readonly name: string
  readonly label: string
  readonly content: Html
}

/** What a form declares of a field: what was typed and what was refused comes from the form. */
type Declared = (Field | TextArea | Select | Own) & {
  /** In errors, if it is not the label. */
  readonly called?: string
}

/** A form of fields and what is between them. One that was refused has its errors at its top. */
export function form(
  visit: Pick<Visit, 'csrf'>,
  action: string,
  sent: Sent,
  parts: readonly (Declared | Html | false | undefined)[],
  className?: string,
): Html {
  const declared = parts.filter(
    (part): part is Declared => part !== false && !(part === undefined || part instanceof Html),
  )
  const labels = Object.fromEntries(declared.map(({ name, label, called = label }) => [name, called]))
  const shown = parts.map((part) => (part && !(part instanceof Html) ? control(part, sent) : part))
  return postForm(
    visit,
    action,
    html`${problem(sent.failure, labels)}${shown.map((part) => html`${part}\n`)}`,
    className,
  )
}

function control(declared: Declared, { failure, values }: Sent): Html {
  if ('content' in declared) return declared.content
  const typed = values?.(declared.name)
  if ('of' in declared) return select({ ...declared, failure, value: typed || declared.value })
  const filled = { ...declared, failure, value: typed ?? declared.value }
  return 'rows' in filled ? textarea(filled) : field(filled)
}

/** A field for the password that the account has. */
export const password = (label: string): Field => ({
  name: 'password',
  label,
  type: 'password',
  autocomplete: 'current-password',
  required: true,
  maxLength: 1024,
})

/** The name of a studio that is opened. */
export const studioName: Field = {
  name: 'studio_name',
  label: 'Name of the studio',
  hint: 'Shown with your games. You can change it later.',
  autocomplete: 'organization',
  required: true,
  maxLength: 100,
}

export const schoolName = (say: Say): Field => ({
  ...studioName,
  label: say.text('school.name'),
  hint: say.text('school.nameHint'),
})

/** A field for a password to be set. @param more after the rule */
export const newPassword = (label: string, more: string): Field => ({
  ...password(label),
  hint: `10 characters or more. ${more}`,
  autocomplete: 'new-password',
})

/** A button that does something at once. @param about what it is done to, for those who do not see the page */
export const button = (
  visit: Pick<Visit, 'csrf'>,
  action: string,
  text: string | Html,
  { about, className = 'quiet small', fields }: { about?: string | Html; className?: string; fields?: Html } = {},
): Html =>
  postForm(
    visit,
    action,
    html`${fields}<button class="${className}">${text}${about !== undefined && html`<span class="visually-hidden"> ${about}</span>`}</button>`,
    'inline',
  )

/** A hidden field. */
export const hidden = (name: string, value: string | number | bigint): Html =>
  html`<input type="hidden" name="${name}" value="${value}">`

export function field(options: Field): Html {
  const { name, type = 'text', value = '', autocomplete, maxLength, placeholder, choices = [] } = options
  return labelled(
    options,
    html`<input id="${idOf(name)}" name="${name}" type="${type}" value="${type === 'password' ? '' : value}"${attributes(options)}${
      autocomplete !== undefined && html` autocomplete="${autocomplete}"`
    }${maxLength !== undefined && html` maxlength="${maxLength}"`}${
      placeholder !== undefined && html` placeholder="${placeholder}"`
    }${choices.length > 0 && html` list="${idOf(name)}-choices"`}>${
      choices.length > 0 &&
      html`<datalist id="${idOf(name)}-choices">${choices.map(({ value, text }) => html`<option value="${value}">${text}</option>`)}</datalist>`
    }`,
  )
}

export function textarea(options: TextArea): Html {
  const { name, value = '', rows } = options
  // a line break right after the tag is not part of the text
  return labelled(
    options,
    html`<textarea id="${idOf(name)}" name="${name}" rows="${rows}"${attributes(options)}>
${value}</textarea>`,
  )
}

export function select(options: Select): Html {
  const { name, value, of } = options
  const choices = of.map(
    (one) => html`<option value="${one.value}"${one.value === value && html` selected`}>${one.text}</option>`,
  )
  return labelled(options, html`<select id="${idOf(name)}" name="${name}"${attributes(options)}>${choices}</select>`)
}

/** The buttons at the end of a form. */
export const submit = (
  text: string | Html,
  { className = '', beside }: { className?: string; beside?: Html } = {},
): Html => html`<div class="actions"><button class="${className}">${text}</button>${beside}</div>`

/** Asks before something is done that is not easily undone. */
export const question = (
  visit: Pick<Visit, 'csrf'>,
  action: string,
  text: Html,
  button: string,
  back: string,
  {
    sent = {},
    fields = [],
    className = 'danger',
    stay = 'Leave it as it is',
  }: { sent?: Sent | undefined; fields?: readonly Declared[]; className?: string; stay?: string } = {},
): Html =>
  html`<div class="card">${form(visit, action, sent, [
    text,
    ...fields,
    submit(button, { className, beside: html`<a class="button quiet" href="${back}">${stay}</a>` }),
  ])}</div>`

/** Fields by their names, with the labels that the form shows. */
type Labels = Readonly<Record<string, string>>

/** The errors at the top of the form, with links to the fields and to the rule. */
export function problem(failure: Failure | undefined, labels: Labels = {}): Html | undefined {
  if (!failure) return undefined
  const rule = ruleLink(failure.rule)
  const told = allOf(failure).map((one) => {
    const label = Object.hasOwn(labels, one.path) ? labels[one.path] : undefined
    const text = sentence(one, label ?? one.path.replaceAll('_', ' '))
    return label !== undefined ? html`<a href="#${idOf(one.path)}">${text}</a>` : text
  })
  return html`<div class="notice bad" role="alert" tabindex="-1">${told.map((one) => html`<p>${one}</p>`)}${rule !== undefined && html`<p><a href="${rule}">Read the rule</a></p>`}</div>`
}

/** The failures of all fields. */
const allOf = (failure: Failure | undefined): Failure[] => (failure ? [failure, ...failure.further] : [])

/** The failure of this field, if there is one. */
const failureOf = (name: string, failure: Failure | undefined): Failure | undefined =>
  allOf(failure).find(({ path }) => path === name)

/** `sender_email: must be …` becomes `Your e-mail address must be …`; without a label, `Must be …`. */
function sentence({ message, path }: Failure, label = ''): string {
  const words =
    path !== '' && message.startsWith(`${path}: `) ? `${label} ${message.slice(path.length + 2)}`.trim() : message
  const text = words.charAt(0).toUpperCase() + words.slice(1)
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

/** The error text beside a field. Its id ends in `-error`. */
export function errorOf(name: string, failure: Failure | undefined): Html | undefined {
  const own = failureOf(name, failure)
  return own && html`<p class="error" id="${idOf(name)}-error">${sentence(own)}</p>`
}

const idOf = (name: string): string => `field-${name}`

function labelled({ name, label, hint, required, note = 'optional', failure }: FieldBase, control: Html): Html {
  const isWrong = failureOf(name, failure) !== undefined
  return html`<div class="field${isWrong && ' wrong'}">
      <label for="${idOf(name)}">${label}${!required && note !== '' && html` <span class="optional">${note}</span>`}</label>
      ${hint !== undefined && html`<p class="hint" id="${idOf(name)}-hint">${hint}</p>`}
      ${errorOf(name, failure)}
      ${control}
    </div>`
}

function attributes({ name, hint, required, failure }: FieldBase): Html {
  const isWrong = failureOf(name, failure) !== undefined
  const described = [hint !== undefined && `${idOf(name)}-hint`, isWrong && `${idOf(name)}-error`].filter(
    (id) => id !== false,
  )
  return html`${required && html` required`}${isWrong && html` aria-invalid="true"`}${described.length > 0 && html` aria-describedby="${described.join(' ')}"`}`
}
