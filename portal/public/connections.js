// Tests a target without leaving the form, so that what was typed stays. Without scripts the button sends the form.
for (const button of document.querySelectorAll('[data-test]')) {
  button.addEventListener('click', async (event) => {
    event.preventDefault()
    const place = document.querySelector('#tested')
    button.disabled = true
    place.textContent = 'Asking the target …'
    try {
      const body = new URLSearchParams(new FormData(button.form))
      const response = await fetch(button.formAction, { method: 'POST', body })
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      const answer = page.querySelector('#tested')
      if (!answer) throw new Error(page.querySelector('[role=alert], main p')?.textContent ?? '')
      place.replaceChildren(...answer.childNodes)
    } catch (error) {
      place.textContent = `This could not be asked. ${error.message}`
    } finally {
      button.disabled = false
    }
  })
}
