import { lti as limits } from '../../../shared/limits.ts'
import { claim, deepLinking, members, text, texts, type Claims } from './lti-claims.ts'

export const gradings = ['first', 'best', 'last'] as const
export type Grading = (typeof gradings)[number]

/** What a teacher picked, as it comes back with each launch. */
export interface Picked {
  /** The game's name in addresses; empty: the game of the open lesson of the class. */
  readonly game: string
  /** IRI; empty: the game as a whole. */
  readonly level: string
  /** 0: any number. */
  readonly attempts: number
  readonly grading: Grading
}

/** Where to answer Deep Linking, and what is taken there. */
export interface Picking {
  readonly returnUrl: string
  readonly data: string | null
  readonly deployment: string
  readonly takesGrades: boolean
}

/** A message whose claims are right. */
export interface Message extends Picked {
  readonly deployment: string
  /** Empty: a person of whom nothing is known. */
  readonly subject: string
  readonly name: string
  readonly role: 'learner' | 'teacher' | 'other'
  readonly context: string
  readonly contextTitle: string
  readonly link: string
  readonly title: string
  readonly lineItem: string
  readonly lineItems: string
  readonly scopes: readonly string[]
  readonly membersUrl: string
  readonly picking: Picking | undefined
}

/** The last part of the name of a role of the course: `Instructor`. A short name is one of the course, too. */
const ofCourse = /^(?:(?:http:\/\/purl\.imsglobal\.org\/vocab\/lis\/v2\/membership)(?:\/[A-Za-z]+)?#)?([A-Za-z]+)$/
const ofSchool =
  /^http:\/\/purl\.imsglobal\.org\/vocab\/lis\/v2\/(?:system|institution)\/person#(Administrator|SysAdmin)$/
const teachers = new Set(['Instructor', 'Administrator', 'ContentDeveloper', 'TeachingAssistant', 'Manager'])

/** What a person may do: a teacher teaches; a mentor, a member and others see nothing. */
export function roleIn(roles: readonly string[]): Message['role'] {
  const named = roles.flatMap((role) => ofCourse.exec(role)?.[1] ?? [])
  if (named.includes('Mentor')) return 'other'
  if (named.some((role) => teachers.has(role)) || roles.some((role) => ofSchool.test(role))) return 'teacher'
  return named.includes('Learner') || named.includes('Student') ? 'learner' : 'other'
}

const isYes = (value: unknown): boolean => value === true || value === 'true'
const httpsOrOwn = (value: unknown): string => {
  const address = text(value)
  return /^https?:$/.test(URL.parse(address)?.protocol ?? '') ? address : ''
}

/** Reads a message. Only what is needed is taken from it. */
export function messageOf(claims: Claims): Message {
  const [link, context, custom, grades, settings] = [
    claim.link,
    claim.context,
    claim.custom,
    claim.grades,
    claim.picking,
  ].map((name) => members(claims[name])) as [Claims, Claims, Claims, Claims, Claims]
  const deployment = text(claims[claim.deployment], 255)
  const attempts = /^\d{1,3}$/.test(text(custom['attempts'])) ? Math.min(100, Number(custom['attempts'])) : 0
  return {
    deployment,
    subject: text(claims['sub'], 255),
    name: text(claims['name'], 200) || text(claims['given_name'], 200),
    role: roleIn(texts(claims[claim.roles])),
    context: text(context['id'], 255),
    contextTitle: text(context['title'], 200) || text(context['label'], 200),
    link: text(link['id'], 255),
    title: text(link['title'], 200),
    game: /^[a-z\d-]{1,200}$/.exec(text(custom['game']))?.[0] ?? '',
    level: text(custom['level'], 500),
    attempts,
    grading: gradings.find((one) => one === custom['grading']) ?? 'best',
    lineItem: httpsOrOwn(grades['lineitem']),
    lineItems: httpsOrOwn(grades['lineitems']),
    scopes: texts(grades['scope'])
      .filter((one) => one.length <= 200)
      .slice(0, 10),
    membersUrl: httpsOrOwn(members(claims[claim.members])['context_memberships_url']),
    picking:
      claims[claim.type] !== deepLinking
        ? undefined
        : {
            returnUrl: text(settings['deep_link_return_url']),
            // opaque, and longer than other values: it goes back as it came
            data: typeof settings['data'] === 'string' ? settings['data'].slice(0, limits.tokenCharacters) : null,
            deployment,
            takesGrades: isYes(settings['accept_lineitem'] ?? true),
          },
  }
}

/** The claims of the answer to Deep Linking: one link. */
export function pickedClaims(
  { returnUrl: _, data, deployment, takesGrades }: Picking,
  { issuer, clientId }: { readonly issuer: string; readonly clientId: string },
  { title, url, ...picked }: Picked & { readonly title: string; readonly url: string },
  { nonce, now }: { readonly nonce: string; readonly now: number },
): Claims {
  const { game, level, attempts, grading } = picked
  return {
    iss: clientId,
    aud: [issuer],
    iat: now,
    exp: now + limits.loginMinutes * 60,
    nonce,
    [claim.deployment]: deployment,
    [claim.type]: 'LtiDeepLinkingResponse',
    [claim.version]: '1.3.0',
    'https://purl.imsglobal.org/spec/lti-dl/claim/content_items': [
      {
        type: 'ltiResourceLink',
        title,
        url,
        custom: { game, level, attempts: `${attempts}`, grading },
        ...(takesGrades &&
          game !== '' && { lineItem: { label: title, scoreMaximum: 100, resourceId: game, tag: grading } }),
      },
    ],
    ...(data !== null && { 'https://purl.imsglobal.org/spec/lti-dl/claim/data': data }),
  }
}
