import { fromBinary, fromJson, toBinary, type DescMethod, type JsonValue, type Message } from '@bufbuild/protobuf'
import { StringValueSchema, type StringValue } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, type ConnectRouter, type Interceptor } from '@connectrpc/connect'
import { contractOf } from '../process/methods/broken-message.ts'
import { parseJson } from '../records/xapi/json.ts'

/**
 * Connect reads JSON messages with JSON.parse, which may take an escaped key for a key of another sender
 * (core/records/xapi/json.ts). So for Connect the methods of this file take a text, and a JSON message reaches it as one: a
 * string has no keys. The first interceptor parses the text.
 */
const utf8 = new TextDecoder()
export const jsonOptions = {
  // a misspelt property of a statement is an error, otherwise it would be lost silently
  ignoreUnknownFields: false,
  textDecoder: { decode: (bytes?: Uint8Array): string => JSON.stringify(utf8.decode(bytes)) },
}

/** Whether the messages of a request with this Content-Type are JSON, in any protocol. */
export const isJson = (contentType = ''): boolean => /json/i.test(contentType)

/** A router whose methods take texts. */
export function takingTexts(router: ConnectRouter): ConnectRouter {
  return {
    ...router,
    rpc: (method, implementation, options) => router.rpc(takingText(method) as typeof method, implementation, options),
    service(service, implementation, options) {
      const methods = service.methods.map(takingText)
      const method = Object.fromEntries(methods.map((one) => [one.localName, one])) as typeof service.method
      return router.service({ ...service, methods, method }, implementation, options)
    },
  }
}

const takingText = (method: DescMethod): DescMethod => ({ ...method, input: StringValueSchema })

/** Makes messages of the texts, and whole messages of answers with parts that are encoded already. */
export const readTexts: Interceptor = (next) => async (request) => {
  const method = contractOf(request.method)
  const read = (message: Message): Message => messageOf(method, (message as StringValue).value)
  const whole = (message: Message): Message =>
    message.$unknown === undefined ? message : fromBinary(method.output, toBinary(method.output, message))
  const response = request.stream
    ? await next({ ...request, method: method as typeof request.method, message: each(request.message, read) })
    : await next({ ...request, method: method as typeof request.method, message: read(request.message) })
  return response.stream
    ? { ...response, message: each(response.message, whole) }
    : { ...response, message: whole(response.message) }
}

function messageOf({ input }: DescMethod, text: string): Message {
  try {
    return fromJson(input, parseJson(Buffer.from(text)).value as JsonValue, jsonOptions)
  } catch (error) {
    const { message } = error as Error
    const told = message.startsWith('cannot decode')
      ? message
      : `cannot decode message ${input.typeName} from JSON: ${message}`
    throw new ConnectError(told, Code.InvalidArgument, undefined, undefined, error)
  }
}

async function* each<T, R>(all: AsyncIterable<T>, change: (one: T) => R): AsyncGenerator<R> {
  for await (const one of all) yield change(one)
}
