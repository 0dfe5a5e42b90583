import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Router } from 'express'

const require = createRequire(import.meta.url)
const dist = dirname(dirname(require.resolve('altcha/altcha.css')))
const { version } = require(join(dist, '..', 'package.json')) as { version: string }
/** The build without inline styles and workers. */
const files = {
  'altcha.css': join(dist, 'external', 'altcha.css'),
  'altcha.js': join(dist, 'external', 'altcha.min.js'),
  'worker.js': join(dist, 'workers', 'pbkdf2.js'),
}

/** The folder of the CAPTCHA widget. Its name has the version, so browsers can cache the files. */
export const widgetFolder = `/public/altcha-${version}`

export const captchaWidget = (): Router =>
  Router().get(`${widgetFolder}/:file`, ({ params: { file } }, response, next) => {
    if (!Object.hasOwn(files, file)) return next()
    response.sendFile(files[file as keyof typeof files], { maxAge: '365d', immutable: true })
  })
