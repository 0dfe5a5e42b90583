/** What entries of the audit log are about, to choose from. */
export const groups = [
  { value: 'account', text: 'Signing in, accounts' },
  { value: 'studio', text: 'Studio' },
  { value: 'member', text: 'Members' },
  { value: 'game', text: 'Games' },
  { value: 'credential', text: 'Credentials' },
  { value: 'invitation', text: 'Invitations' },
  { value: 'token', text: 'Personal tokens' },
]

/** What is done, and the word before the name of the subject. */
const words: Readonly<Record<string, readonly [doing: string, before?: string]>> = {
  'account.sign-up': ['sign up', 'as'],
  'account.confirm-sign-up': ['confirm the account', ''],
  'account.send-reset': ['ask for a link to reset the password', 'of'],
  'account.set-password': ['set a password by mail', 'of'],
  'account.send-verification': ['ask for a link to verify the address'],
  'account.send-new-address': ['ask to change the address'],
  'account.verify-address': ['verify the address', ''],
  'account.sign-in': ['sign in', 'as'],
  'account.sign-out': ['sign out'],
  'account.sign-out-everywhere': ['sign out everywhere'],
  'account.change-password': ['change the password of their account'],
  'account.reset-password': ['reset the password', 'of'],
  'account.set-reviewer': ['change the rights', 'of'],
  'account.delete': ['have their account deleted'],
  'account.keep': ['keep their account'],
  'account.allow-studios': ['change the number of studios', 'of'],
  'member.invite': ['invite a member'],
  'member.revoke-invitation': ['revoke the invitation of a member'],
  'member.join': ['join the studio'],
  'member.set-role': ['change the role', 'of'],
  'member.remove': ['remove', ''],
  'member.hand-over': ['hand the studio over', 'to'],
  'member.leave': ['leave the studio'],
  'studio.open': ['make the studio'],
  'studio.delete': ['have the studio deleted'],
  'studio.keep': ['keep the studio'],
  'studio.update': ['change the profile of the studio'],
  'studio.remove-logo': ['remove the logo'],
  'studio.discard-changes': ['discard the changes of the profile'],
  'studio.decide-profile': ['decide on the changed profile', 'of'],
  'studio.delete-messages': ['delete messages'],
  'studio.set-trusted': ['change the trust', 'in'],
  'studio.set-quota': ['change a quota', 'of'],
  'studio.reserve-prefix': ['reserve activities', 'for'],
  'studio.withdraw-prefix': ['end the reservation', 'of'],
  'game.create': ['make a game:', ''],
  'game.move': ['move the statements', 'of'],
  'game.update': ['change the texts', 'of'],
  'game.delete': ['delete a game:', ''],
  'game.upload': ['upload a file', 'for'],
  'game.describe-file': ['describe a file', 'of'],
  'game.move-file': ['move a file', 'of'],
  'game.remove-file': ['remove a file', 'of'],
  'game.discard-changes': ['discard the changes', 'of'],
  'game.submit': ['submit for review:', ''],
  'game.withdraw': ['withdraw', ''],
  'game.decide-review': ['decide on the review', 'of'],
  'game.set-quota': ['change the quota', 'of'],
  'credential.issue': ['issue a credential', 'for'],
  'credential.reveal': ['see the secret', 'of'],
  'credential.rotate': ['make a new secret', 'for'],
  'credential.revoke': ['revoke the credential', 'of'],
  'credential.set-scopes': ['change the scopes of the credential', 'of'],
  'credential.mint-launch-token': ['make a launch token', 'for'],
  'invitation.create': ['invite a learner', 'to'],
  'invitation.revoke': ['revoke an invitation', 'to'],
  'statements.import': ['import statements', 'into'],
  'statements.read': ['export data', 'of'],
  'token.create': ['make a personal token:', ''],
  'token.revoke': ['revoke a personal token:', ''],
}

const irregular: Readonly<Record<string, string>> = {
  make: 'made',
  have: 'had',
  keep: 'kept',
  leave: 'left',
  withdraw: 'withdrew',
  see: 'saw',
  submit: 'submitted',
  reset: 'reset',
  do: 'did',
}

/** `changed the texts of`, or `tried to change …`. A newer core may know actions that this portal does not. */
export function doneWords(action: string, isOk: boolean, isNamed: boolean): string {
  const [doing, before] = Object.hasOwn(words, action) ? words[action]! : [`do ${action}`, '']
  const [verb = '', ...rest] = doing.split(' ')
  const past = irregular[verb] ?? verb.replace(/e?$/, 'ed')
  const text = [isOk ? past : `tried to ${verb}`, ...rest, isNamed && before].filter(Boolean).join(' ')
  return isNamed ? text : text.replace(/:$/, '')
}
