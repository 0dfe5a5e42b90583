import {
  attachment,
  boundary,
  contentPart,
  jsonPart,
  multipart,
  multipartType,
  sha256,
  type Part,
} from '../support/attachments.ts'
import { statement, type Json } from '../support/statements.ts'

/** A request with attachments, and what it is answered: 200, or 400 with a message. */
export interface MultipartCase {
  requirement: string
  about: string
  type?: string
  body: () => Buffer | string
  refused?: RegExp
}

const replay = 'moves of a game'
const photo = Buffer.from([0, 13, 10, 45, 45, 255, 0])
const withReplay = (over: Json = {}) => statement({ attachments: [attachment(replay, over)] })
const parts =
  (...list: Part[]) =>
  () =>
    multipart(list)
const usual = () => multipart([jsonPart(withReplay()), contentPart(replay)])
const edited = (edit: (body: string) => string) => () => Buffer.from(edit(usual().toString('latin1')), 'latin1')

const hashes = {
  'SHA-224': '90a3ed9e32b2aaf4c61c410eb925426119e1a9dc53d4286ade99a809',
  'SHA-384': '768412320f7b0aa5812fce428dc4706b3cae50e02a64caa16a782249bfe8efc4b7ef1ccb126255d196047dfedf17a0a9',
  'SHA-512':
    'ee26b0dd4af7e749aa1a8ee3c10ae9923f618980772e473f8819a5d4940e0db27ac185f8a0e1d5f84f88bc887fd67b143732c304cc5fa9ad8e6f57f50028a8ff',
}

/** As @xapi/xapi and xAPIWrapper send it: nothing between a content and the boundary that follows, but before the last one. */
const bare =
  (...list: Part[]) =>
  () => {
    const body = multipart(list).toString('latin1')
    const [statements, ...contents] = body.split(`\r\n--${boundary}`)
    return Buffer.from(
      `${statements}\r\n--${boundary}${contents.slice(0, -1).join(`--${boundary}`)}\r\n--${boundary}--\r\n`,
      'latin1',
    )
  }
const both = () => jsonPart([withReplay(), statement({ attachments: [attachment(photo)] })])
/** What would be another content if it stood behind one that is whole. */
const smuggled = `${replay}--${boundary}\r\nX-Experience-API-Hash: ${sha256(photo)}\r\n\r\n`

export const multipartCases: MultipartCase[] = [
  { requirement: 'XAPI-00127', about: 'a statement and its attachment', body: usual },
  {
    requirement: 'XAPI-00127',
    about: 'multipart/form-data',
    type: `multipart/form-data; boundary="${boundary}"`,
    body: usual,
    refused: /^Content-Type: must be application\/json or multipart\/mixed/,
  },
  { requirement: 'XAPI-00127', about: 'text/plain', type: 'text/plain', body: usual, refused: /^Content-Type/ },
  {
    requirement: 'XAPI-00128',
    about: 'a part that no attachment has',
    body: parts(jsonPart(withReplay()), contentPart(replay), contentPart('more')),
    refused: /must be the sha2 of an attachment/,
  },
  {
    requirement: 'XAPI-00128',
    about: 'a part for a statement without attachments',
    body: parts(jsonPart(statement()), contentPart(replay)),
    refused: /must be the sha2 of an attachment/,
  },
  {
    requirement: 'XAPI-00128',
    about: 'an empty part at the end',
    body: edited((body) => body.replace(/--\r\n$/, `\r\n\r\n\r\n--${boundary}--`)),
    refused: /X-Experience-API-Hash/,
  },
  {
    requirement: 'XAPI-00129',
    about: 'an attachment without its part',
    body: parts(jsonPart(withReplay())),
    refused: /^attachments\[0\]: has no fileUrl/,
  },
  {
    requirement: 'XAPI-00129',
    about: 'one part of two',
    body: parts(
      jsonPart([statement(), statement({ attachments: [attachment(replay), attachment(photo)] })]),
      contentPart(replay),
    ),
    refused: /^statements\[1\]\.attachments\[1\]: has no fileUrl/,
  },
  {
    requirement: 'XAPI-00129',
    about: 'application/json with an attachment that has no fileUrl',
    type: 'application/json',
    body: () => JSON.stringify(withReplay()),
    refused: /^attachments\[0\]: has no fileUrl/,
  },
  {
    requirement: 'XAPI-00129',
    about: 'application/json with a fileUrl',
    type: 'application/json',
    body: () => JSON.stringify(withReplay({ fileUrl: 'https://f.example.org/1' })),
  },
  {
    requirement: 'XAPI-00130',
    about: 'no boundary between the parts',
    body: edited((body) =>
      body.replace(
        `\r\n--${boundary}\r\nContent-Type: application/octet-stream`,
        '\r\nContent-Type: application/octet-stream',
      ),
    ),
    refused: /must be valid JSON/,
  },
  {
    requirement: 'XAPI-00131',
    about: 'no boundary in the header',
    type: 'multipart/mixed;',
    body: usual,
    refused: /needs a boundary/,
  },
  {
    requirement: 'XAPI-00131',
    about: 'another boundary in the header',
    type: 'multipart/mixed; boundary=x',
    body: usual,
    refused: /is not in the body/,
  },
  {
    requirement: 'XAPI-00131',
    about: 'no first boundary',
    body: edited((body) => body.replace(`--${boundary}\r\n`, '')),
    refused: /application\/json/,
  },
  {
    requirement: 'XAPI-00131',
    about: 'no last boundary',
    body: edited((body) => body.slice(0, body.lastIndexOf('\r\n--'))),
    refused: /the closing boundary/,
  },
  { requirement: 'XAPI-00131', about: 'an empty body', body: () => '', refused: /is not in the body/ },
  {
    requirement: 'XAPI-00132',
    about: 'no hash',
    body: parts(jsonPart(withReplay()), contentPart(replay, { 'X-Experience-API-Hash': undefined })),
    refused: /^X-Experience-API-Hash: this header is missing/,
  },
  {
    requirement: 'XAPI-00132',
    about: 'a hash that is none',
    body: parts(jsonPart(withReplay()), contentPart(replay, { 'X-Experience-API-Hash': 'abc' })),
    refused: /must be a SHA-2 hash/,
  },
  {
    requirement: 'XAPI-00132',
    about: 'the hash of something else',
    body: parts(jsonPart(withReplay()), contentPart(replay, { 'X-Experience-API-Hash': sha256('x') })),
    refused: /must be the sha2 of an attachment/,
  },
  {
    requirement: 'XAPI-00132',
    about: 'something else than the hash says',
    body: parts(jsonPart(withReplay()), contentPart('other moves', { 'X-Experience-API-Hash': sha256(replay) })),
    refused: /must be the SHA-2 hash of the part/,
  },
  {
    requirement: 'XAPI-00132',
    about: 'hashes in another case',
    body: parts(jsonPart(withReplay({ sha2: sha256(replay).toUpperCase() })), contentPart(replay)),
  },
  {
    requirement: 'XAPI-00133',
    about: 'statements in two parts',
    body: parts(jsonPart(withReplay()), jsonPart(statement()), contentPart(replay)),
    refused: /^X-Experience-API-Hash/,
  },
  {
    requirement: 'XAPI-00134',
    about: 'text/plain first',
    body: parts({ ...jsonPart(withReplay()), headers: { 'Content-Type': 'text/plain' } }, contentPart(replay)),
    refused: /^Content-Type of the first part: must be application\/json/,
  },
  {
    requirement: 'XAPI-00134',
    about: 'no Content-Type first',
    body: parts({ ...jsonPart(withReplay()), headers: {} }, contentPart(replay)),
    refused: /^Content-Type of the first part/,
  },
  {
    requirement: 'XAPI-00134',
    about: 'the attachment first',
    body: parts(contentPart(replay), jsonPart(withReplay())),
    refused: /^Content-Type of the first part/,
  },
  {
    requirement: 'XAPI-00135',
    about: 'base64',
    body: parts(jsonPart(withReplay()), contentPart(replay, { 'Content-Transfer-Encoding': 'base64' })),
    refused: /^Content-Transfer-Encoding: must be binary/,
  },
  {
    requirement: 'XAPI-00135',
    about: 'Binary',
    body: parts(jsonPart(withReplay()), contentPart(replay, { 'Content-Transfer-Encoding': 'Binary' })),
  },
  {
    requirement: 'XAPI-00135',
    about: 'no encoding, which is to be read as binary',
    body: parts(jsonPart(withReplay()), contentPart(replay, { 'Content-Transfer-Encoding': undefined })),
  },
  {
    requirement: 'XAPI-00161',
    about: 'a part for an attachment with a fileUrl',
    body: parts(jsonPart(withReplay({ fileUrl: 'https://f.example.org/1' })), contentPart(replay)),
  },
  { requirement: 'Communication 1.5.2', about: 'no attachments at all', body: parts(jsonPart(statement())) },
  {
    requirement: 'Communication 1.5.2',
    about: 'fileUrls alone',
    body: parts(jsonPart([withReplay({ fileUrl: 'https://f.example.org/1' }), statement()])),
  },
  {
    requirement: 'Communication 1.5.2',
    about: 'one part for two statements',
    body: parts(jsonPart([withReplay(), withReplay()]), contentPart(replay)),
  },
  {
    requirement: 'Communication 1.5.2',
    about: 'the same part twice',
    body: parts(jsonPart(withReplay()), contentPart(replay), contentPart(replay)),
  },
  {
    requirement: 'Communication 1.5.2',
    about: 'parts in another order',
    body: parts(
      jsonPart([withReplay(), statement({ attachments: [attachment(photo)] })]),
      contentPart(photo),
      contentPart(replay),
    ),
  },
  { requirement: 'Communication 1.5.2', about: 'no statements', body: parts(jsonPart([])) },
  {
    requirement: 'Data 2.4.11',
    about: 'a length that is not true',
    body: parts(jsonPart(withReplay({ length: 3 })), contentPart(replay)),
  },
  {
    requirement: 'Data 2.4.11',
    about: 'an attachment of the SubStatement',
    body: parts(
      jsonPart(
        statement({
          object: { objectType: 'SubStatement', ...statement({ id: undefined, attachments: [attachment(replay)] }) },
        }),
      ),
      contentPart(replay),
    ),
  },
  ...Object.entries(hashes).map(([name, sha2]) => ({
    requirement: 'Data 2.4.11',
    about: name,
    body: parts(
      jsonPart(statement({ attachments: [attachment('test', { sha2 })] })),
      contentPart('test', { 'X-Experience-API-Hash': sha2 }),
    ),
  })),
  {
    requirement: 'RFC 2046',
    about: 'a leading CRLF, no space after colons, no CRLF at the end',
    body: edited((body) => `\r\n${body.replaceAll(': ', ':').replace(/\r\n$/, '')}`.replace(/\{.*\}/, (json) => json)),
  },
  {
    requirement: 'RFC 2046',
    about: 'a preamble and an epilogue',
    body: edited((body) => `This is MIME.\r\n${body}\r\nThe end.`),
  },
  {
    requirement: 'RFC 2046',
    about: 'lines that end in LF alone',
    body: edited((body) => body.replaceAll('\r\n', '\n')),
    refused: /followed by CRLF/,
  },
  {
    requirement: 'RFC 2046',
    about: 'endless headers',
    body: edited((body) => body.replace('Content-Transfer', `X-Long: ${'x'.repeat(9000)}\r\nContent-Transfer`)),
    refused: /at most 8192 bytes/,
  },
  {
    requirement: 'no CRLF',
    about: 'before a boundary, where the hash says that the content is whole',
    body: bare(both(), contentPart(photo), contentPart(replay)),
  },
  {
    requirement: 'no CRLF',
    about: 'after three contents, one twice',
    body: bare(both(), contentPart(photo), contentPart(replay), contentPart(photo)),
  },
  {
    requirement: 'no CRLF',
    about: 'after a content that the hash does not fit',
    body: bare(both(), contentPart('other', { 'X-Experience-API-Hash': sha256(replay) }), contentPart(photo)),
    refused: /must be the SHA-2 hash of the part/,
  },
  {
    requirement: 'no CRLF',
    about: 'after a content that nobody declares',
    body: bare(both(), contentPart('more'), contentPart(photo)),
    refused: /must be the sha2 of an attachment/,
  },
  {
    requirement: 'no CRLF',
    about: 'after the statements',
    body: edited((body) => body.replace('\r\n--', '--')),
    refused: /must be valid JSON/,
  },
  {
    requirement: 'RFC 2046',
    about: 'a content that has a boundary and headers in it',
    body: parts(
      jsonPart([withReplay(), statement({ attachments: [attachment(smuggled)] })]),
      contentPart(smuggled),
      contentPart(replay),
    ),
  },
  {
    requirement: 'RFC 8259',
    about: 'broken JSON',
    body: edited((body) => body.replace('{', '[')),
    refused: /must be valid JSON/,
  },
]
export { multipartType }
