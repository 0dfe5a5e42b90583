// Forms with a field data-passkey: asks the portal for a challenge and the browser for a passkey, puts the answer into
// the field and sends the form.
const known = globalThis.PublicKeyCredential
for (const field of document.querySelectorAll('[data-passkey]')) {
  const { form } = field
  const problem = form.querySelector('.error[role=alert]')
  const actions = form.querySelector('.actions')

  const say = (text) => {
    problem.textContent = text
    problem.hidden = text === ''
  }

  async function answer() {
    const csrf = form.elements.csrf?.value ?? ''
    const headers = { accept: 'application/json', csrf }
    const response = await fetch(field.dataset.options, { method: 'POST', headers })
    const options = await response.json()
    if (!response.ok) throw new Error(options.error)
    const credential =
      field.dataset.passkey === 'create'
        ? await navigator.credentials.create({ publicKey: known.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: known.parseRequestOptionsFromJSON(options) })
    return JSON.stringify(credential.toJSON())
  }

  // NotAllowedError: the person has stopped it, or took too long; browsers do not tell which
  const wordsOf = ({ name, message }) =>
    ({
      NotAllowedError: 'No passkey was used. Try again, or take another way.',
      InvalidStateError: 'This device has a passkey of your account already.',
      SecurityError: 'Passkeys do not work at this address of the portal.',
    })[name] ?? message

  form.addEventListener('submit', async (event) => {
    if (field.value !== '') return
    event.preventDefault()
    const button = actions.querySelector('button')
    button.disabled = true
    say('')
    try {
      field.value = await answer()
      form.submit()
    } catch (error) {
      say(wordsOf(error))
      button.disabled = false
    }
  })
  // whoever comes back to this page starts again
  addEventListener('pageshow', () => {
    field.value = ''
    actions.querySelector('button').disabled = false
  })
  form.querySelector('[data-without-script]').hidden = true
  if (known?.parseRequestOptionsFromJSON) actions.hidden = false
  else say('This browser has no passkeys.')
}
