// Loads the widget of the CAPTCHA (altcha) when a visitor starts to write. Most visitors do not write.

const place = document.querySelector('.captcha')
const form = place.closest('form')
let isComing = false

async function bring() {
  if (isComing) return
  isComing = true
  const { widget: from, challenge } = place.dataset
  const style = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: `${from}/altcha.css` })
  document.head.append(style)
  await import(`${from}/altcha.js`)
  globalThis.$altcha.algorithms.set('PBKDF2/SHA-256', () => new Worker(`${from}/worker.js`))
  const widget = document.createElement('altcha-widget')
  widget.setAttribute('name', 'solution')
  widget.setAttribute('challenge', challenge)
  widget.setAttribute('language', 'en')
  widget.setAttribute(
    'configuration',
    JSON.stringify({ hideLogo: true, hideFooter: true, humanInteractionSignature: false }),
  )
  place.replaceChildren(widget)
}

function start() {
  bring().catch(() => {
    isComing = false
    place.textContent = 'The spam check could not be loaded. Reload the page to try again.'
  })
}

form.addEventListener('focusin', start)
if ('now' in place.dataset) start()
