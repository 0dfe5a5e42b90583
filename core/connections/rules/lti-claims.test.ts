import { describe, expect, test } from 'vitest'
import { checksOf, claim, type Claims, type Expected } from './lti-claims.ts'
import { messageOf, roleIn } from './lti-message.ts'

const now = 1_800_000_000
const of: Expected = {
  issuer: 'https://lms.example',
  clientId: 'c1',
  deployments: ['d1', 'd2'],
  isNonce: (nonce) => nonce === 'n1',
  portal: 'https://games.example',
  now,
}
const learner = 'http://purl.imsglobal.org/vocab/lis/v2/membership#Learner'
const right: Claims = {
  iss: of.issuer,
  aud: 'c1',
  sub: 'u1',
  iat: now - 5,
  exp: now + 300,
  nonce: 'n1',
  [claim.type]: 'LtiResourceLinkRequest',
  [claim.version]: '1.3.0',
  [claim.deployment]: 'd2',
  [claim.target]: 'https://games.example/lti/launch',
  [claim.link]: { id: 'r1', title: 'Fractions' },
  [claim.roles]: [learner],
}
const picking = { deep_link_return_url: 'https://lms.example/back', accept_types: ['link', 'ltiResourceLink'] }
const deep: Claims = {
  ...right,
  [claim.type]: 'LtiDeepLinkingRequest',
  [claim.picking]: picking,
  [claim.link]: undefined,
}

const failed = (claims: Claims) => checksOf(claims, of).flatMap((check) => (check.passed ? [] : [check.claim]))

describe('a message is accepted', () => {
  const cases: [string, Claims][] = [
    ['as the specification has it', right],
    ['with an audience in a list', { ...right, aud: ['c1'] }],
    ['for several, of which we are the party', { ...right, aud: ['x', 'c1'], azp: 'c1' }],
    ['without a subject', { ...right, sub: undefined }],
    ['without a role', { ...right, [claim.roles]: [] }],
    ['from a clock a minute behind', { ...right, exp: now - 59 }],
    ['from a clock a minute ahead', { ...right, iat: now + 60 }],
    ['with a query of the target', { ...right, [claim.target]: 'https://games.example/lti/launch?a=b' }],
    ['to pick', deep],
    ['to pick without a target', { ...deep, [claim.target]: undefined }],
    ['with claims that nobody knows', { ...right, 'https://example.org/other': { deep: [1] } }],
  ]
  test.each(cases)('%s', (_, claims) => expect(failed(claims)).toEqual([]))
})

describe('a message is refused', () => {
  const cases: [string, Claims, string][] = [
    ['of another issuer', { iss: 'https://lms.example/' }, 'iss'],
    ['without an issuer', { iss: undefined }, 'iss'],
    ['for another tool', { aud: 'c2' }, 'aud'],
    ['for nobody', { aud: undefined }, 'aud'],
    ['for several, without a party', { aud: ['c1', 'c2'] }, 'azp'],
    ['with another party', { azp: 'c2' }, 'azp'],
    ['that is over', { exp: now - 61 }, 'exp'],
    ['without an end', { exp: undefined }, 'exp'],
    ['with an end in words', { exp: 'never' }, 'exp'],
    ['of the future', { iat: now + 61 }, 'iat'],
    ['of yesterday', { iat: now - 86_400 }, 'iat'],
    ['without a time', { iat: undefined }, 'iat'],
    ['with the nonce of another login', { nonce: 'n2' }, 'nonce'],
    ['without a nonce', { nonce: undefined }, 'nonce'],
    ['of another type', { [claim.type]: 'LtiSubmissionReviewRequest' }, 'message_type'],
    ['of version 1.1', { [claim.version]: 'LTI-1p0' }, 'version'],
    ['of an unknown deployment', { [claim.deployment]: 'd3' }, 'deployment_id'],
    ['without a deployment', { [claim.deployment]: undefined }, 'deployment_id'],
    ['to another host', { [claim.target]: 'https://evil.example/lti/launch' }, 'target_link_uri'],
    ['to another page', { [claim.target]: 'https://games.example/classes' }, 'target_link_uri'],
    ['with a user in the target', { [claim.target]: 'https://a@games.example/lti/launch' }, 'target_link_uri'],
    ['without a target', { [claim.target]: undefined }, 'target_link_uri'],
    ['with a long subject', { sub: 'u'.repeat(256) }, 'sub'],
    ['with a subject in other letters', { sub: 'ü' }, 'sub'],
    ['with roles in words', { [claim.roles]: learner }, 'roles'],
    ['without a link', { [claim.link]: undefined }, 'resource_link'],
    ['with a long id of the link', { [claim.link]: { id: 'r'.repeat(256) } }, 'resource_link'],
  ]
  test.each(cases)('%s', (_, changed, expected) => expect(failed({ ...right, ...changed })).toEqual([expected]))

  const ofPicking: [string, object | undefined][] = [
    ['without settings', undefined],
    ['without an address to return to', { ...picking, deep_link_return_url: undefined }],
    ['with a script to return to', { ...picking, deep_link_return_url: 'javascript:alert(1)' }],
    ['with signs of a header in the address', { ...picking, deep_link_return_url: 'https://a;sandbox/' }],
    ['that takes no links of LTI', { ...picking, accept_types: ['html'] }],
  ]
  test.each(ofPicking)('to pick %s', (_, settings) =>
    expect(failed({ ...deep, [claim.picking]: settings })).toEqual(['deep_linking_settings']),
  )

  test('with what came in one line of 200 characters, without the nonce', () => {
    const came = (changed: Claims, name: string) =>
      checksOf({ ...right, ...changed }, of).find((check) => check.claim === name)!.came
    expect(came({ iss: `a\nb${'x'.repeat(500)}` }, 'iss')).toMatch(/^a bx{197}$/)
    expect(came({ nonce: 'secret' }, 'nonce')).not.toContain('secret')
  })
})

test('a person teaches, learns, or sees nothing', () => {
  const membership = 'http://purl.imsglobal.org/vocab/lis/v2/membership'
  const cases: [string[], string][] = [
    [[`${membership}#Learner`], 'learner'],
    [['Learner'], 'learner'],
    [[`${membership}#Instructor`, `${membership}#Learner`], 'teacher'],
    [[`${membership}/Instructor#TeachingAssistant`], 'teacher'],
    [['http://purl.imsglobal.org/vocab/lis/v2/institution/person#Administrator'], 'teacher'],
    [['http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor', `${membership}#Learner`], 'learner'],
    [[`${membership}#Mentor`, `${membership}#Learner`], 'other'],
    [['http://purl.imsglobal.org/vocab/lis/v2/institution/person#Student'], 'other'],
    [[], 'other'],
    [['https://evil.example/membership#Instructor'], 'other'],
  ]
  for (const [roles, role] of cases) expect([roles, roleIn(roles)]).toEqual([roles, role])
})

test('of a message only what is needed is taken, with bounds', () => {
  const message = messageOf({
    ...right,
    name: 'Ada',
    email: 'ada@example.org',
    [claim.context]: { id: 'x1', title: '4b' },
    [claim.custom]: { game: 'chess', level: 'https://g.example/l1', attempts: '999', grading: 'first' },
    [claim.grades]: { lineitem: 'https://lms.example/1', lineitems: 'javascript:alert(1)', scope: ['s1', 7] },
    [claim.members]: { context_memberships_url: 'https://lms.example/members' },
  })
  expect(message).toEqual({
    deployment: 'd2',
    subject: 'u1',
    name: 'Ada',
    role: 'learner',
    context: 'x1',
    contextTitle: '4b',
    link: 'r1',
    title: 'Fractions',
    game: 'chess',
    level: 'https://g.example/l1',
    attempts: 100,
    grading: 'first',
    lineItem: 'https://lms.example/1',
    lineItems: '',
    scopes: ['s1'],
    membersUrl: 'https://lms.example/members',
    picking: undefined,
  })
  expect(messageOf({ ...right, [claim.custom]: { game: '../x', attempts: '-1', grading: 'worst' } })).toMatchObject({
    game: '',
    attempts: 0,
    grading: 'best',
  })
})
