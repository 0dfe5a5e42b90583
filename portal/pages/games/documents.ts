import type { GetDocumentResponse } from '../../../gen/lrs/v1/documents_pb.js'
import type { ListedGameDocument } from '../../../gen/lrs/v1/game_documents_pb.js'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { paths } from '../../../shared/rest.ts'
import { html, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { moment } from '../parts/amount.ts'
import { form, hidden, postForm, submit, type Sent } from '../parts/form.ts'
import { gameLayout } from '../parts/game-layout.ts'
import { table } from '../parts/table.ts'

/** A form holds at most 256 KB. */
const mostShown = 128 * 1024

const at = (game: Game, id?: string): string =>
  `/games/${game.summary!.gameId}/documents${id === undefined ? '' : `/edit?document=${encodeURIComponent(id)}`}`

/** The documents that the studio wrote for its game. */
export function documentsPage(visit: Visit, game: Game, documents: readonly ListedGameDocument[], done?: string): Html {
  return gameLayout(
    visit,
    game,
    'Documents for players',
    html`${
      documents.length > 0 &&
      table(
        'Documents',
        ['Document', 'Written'],
        documents.map(({ id, updated }) => [html`<a href="${at(game, id)}">${id}</a>`, moment(updated / 1_000_000n)]),
      )
    }
      <p class="actions"><a class="button" href="${at(game)}/edit">New document</a></p>`,
    {
      done,
      lead: html`Settings, texts or levels that change without a new build. You write them here, and the game reads them at
      <code>GET ${paths.gameDocument}?documentId=…</code> (<a href="/docs/saves#documents-of-the-game">how</a>). Every
      player can read them: put no secrets into them.`,
    },
  )
}

/** One document in a form; without one, a new one. After a conflict also what another member has stored meanwhile. */
export function documentPage(
  visit: Visit,
  game: Game,
  id: string,
  stored: GetDocumentResponse | undefined,
  sent: Sent = {},
): Html {
  const isNew = stored === undefined
  const text = isNew ? '' : new TextDecoder().decode(stored.content)
  const isText = text.length <= mostShown && !/[^\n\t\r\P{Cc}]|\ufffd/u.test(text)
  const etag = hidden('etag', stored?.etag ?? '')
  const isLate = sent.failure?.reason === Reason.PRECONDITION_FAILED
  return gameLayout(
    visit,
    game,
    isNew ? 'New document' : id,
    html`${
      isLate &&
      html`<div class="notice bad" role="alert" tabindex="-1"><p>Another member has changed this document since you opened it, or
        there is one of this name. Nothing was stored.</p></div>`
    }${
      isLate &&
      !isNew &&
      html`<h2>What is stored now</h2><pre class="json" tabindex="0">${text}</pre><h2>What you wrote</h2>`
    }${
      isText
        ? form(visit, at(game), isLate ? { values: sent.values } : sent, [
            isNew
              ? {
                  name: 'document_id',
                  label: 'Name',
                  hint: 'The documentId of the address.',
                  required: true,
                  maxLength: 200,
                }
              : hidden('document_id', id),
            {
              name: 'content_type',
              label: 'Type',
              hint: 'JSON is checked before it is stored.',
              value: stored?.contentType ?? 'application/json',
              required: true,
              maxLength: 256,
            },
            { name: 'content', label: 'Content', value: text, rows: 12, required: true },
            etag,
            submit(isLate && !isNew ? 'Replace what is stored' : 'Save', {
              beside: html`<a class="button quiet" href="${at(game)}">Back</a>`,
            }),
          ])
        : html`<p>This document is no text, or longer than a form can hold. Write it with
            <code>GameDocumentService.PutGameDocument</code>.</p>`
    }
    ${
      !isNew &&
      postForm(
        visit,
        `${at(game)}/delete`,
        html`${hidden('document_id', id)}${etag}<button class="danger">Delete</button>`,
        'actions',
      )
    }`,
  )
}
