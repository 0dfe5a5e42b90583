// A launch from a learning platform. Its pages may keep data for tools (LTI Client Side postMessages): there is the
// state of a login, where browsers block cookies in frames.
const answerMs = 2500

/** Asks the page of the platform around this one; fails when it does not answer in time. */
function ask({ target, origin, key, value }, subject) {
  const around = window.parent === window ? window.opener : window.parent
  const frame = target === '_parent' ? around : around?.frames[target]
  const id = `${key}-${Date.now()}`
  return new Promise((done, fail) => {
    setTimeout(fail, answerMs)
    addEventListener('message', ({ data, origin: from }) => {
      if (from !== origin || data?.message_id !== id) return
      if (data.error) fail()
      else done(data.value)
    })
    if (frame) frame.postMessage({ subject, message_id: id, key, ...(value && { value }) }, origin)
    else fail()
  })
}

const begin = document.querySelector('#lti-begin')
if (begin) {
  // the cookie may do without it
  await ask(begin.dataset, 'lti.put_data').catch(() => {})
  location.replace(begin.href)
}

const stored = document.querySelector('#lti-stored')
if (stored) {
  try {
    stored.elements.stored.value = await ask(stored.dataset, 'lti.get_data')
    stored.submit()
  } catch {
    document.querySelector('#lti-tab').hidden = false
  }
}

document.querySelector('#lti-send')?.submit()

// any origin: it says nothing but that the window can be closed
if (document.querySelector('#lti-done'))
  (window.opener ?? window.parent).postMessage({ subject: 'org.imsglobal.lti.close' }, '*')
