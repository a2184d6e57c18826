import { askAhead } from './api/ask-ahead.ts'
import { sessionKey } from './api/session.ts'
import { driven } from './api/tab.ts'
import { LANGUAGE } from './language/choice.ts'
import { codeOf } from './shell/code.ts'

// All of this begins at once: what the page shows first, its code, and the code of what every page stands in.
const key = sessionKey()
// A tab whose lease is over asks nothing until its person says as whom.
if (key !== null && (driven()?.over ?? null) === null) {
  askAhead(location, key)
  codeOf(location.pathname)?.().catch(() => undefined) // the router asks for it again, and says what is wrong
}
document.documentElement.lang = LANGUAGE
if (LANGUAGE === 'de') void import('./language/de.json') // the texts wait for it
void import('./app.tsx')
