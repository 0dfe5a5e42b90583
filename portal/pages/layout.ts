import { html, type Html } from '../html.ts'

/** A whole page around its content. */
export function layout(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} · Games LRS</title>
    <link rel="stylesheet" href="/public/site.css">
  </head>
  <body>
    <header><a href="/">Games LRS</a></header>
    <main>
      <h1>${title}</h1>
      ${content}
    </main>
  </body>
</html>
`.text
}
