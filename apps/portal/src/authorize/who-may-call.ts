import type { Work } from './work.ts'

/** Who may call a route. What a route then shows and does, the gates decide for the being of who asks. */
export type Caller =
  /** everybody: no session is needed */
  | 'anybody'
  /**
   * a signed-in person, in a tab of its own or in one that drives a being; in the API also a program with an
   * access token
   */
  | 'signed-in'
  /**
   * whoever may look into the past of the being that the path names: the being, its makers, the first
   * operator
   */
  | 'past-open'
  /** whoever may look into every past */
  | 'first-operator'
  /**
   * a person in a tab of its own. Accounts belong to persons: a tab that drives a being neither shows nor
   * changes one
   */
  | 'person'
  /**
   * a person that signed in a short time ago: whoever found an open session changes nothing of how its person
   * signs in
   */
  | 'person-signed-in-lately'

/**
 * Every route of the page's own, by who may call it, with the class of its work. A route that is not listed
 * answers nobody. The operations of the API say the same of themselves: see `api/operation.ts`.
 */
const ROUTES: Readonly<Record<Caller, Readonly<Record<`${'GET' | 'POST'} /api/${string}`, Work>>>> = {
  anybody: {
    'GET /api/open/ways': 'open',
    'POST /api/open/sign-in': 'sign-in',
    'POST /api/open/link/look': 'link',
    'POST /api/open/link/use': 'link',
    'POST /api/open/link/passkey': 'link',
    'POST /api/open/link/passkey/made': 'link',
    'POST /api/open/answer/look': 'link',
    'POST /api/open/answer': 'link', // acts, as the person of the link, which answers one call
    'POST /api/open/passkey': 'sign-in',
    'POST /api/open/passkey/used': 'sign-in',
    'POST /api/open/provider': 'sign-in',
    'POST /api/open/provider/returned': 'sign-in',
    'POST /api/open/hooks/:id': 'hook', // it is signed
    'GET /api/open/log/checkpoint': 'open',
    'GET /api/open/log/cosigned': 'open',
    'GET /api/open/log/consistency': 'open',
    'GET /api/open/log/tile/*': 'open', // of hashes
  },
  'signed-in': {
    'GET /api/session': 'read',
    'POST /api/sign-out': 'change',
    'GET /api/live': 'stream',
    'POST /api/live/streamed': 'change',
    'GET /api/birth': 'read',
    'POST /api/inhabit': 'change',
    'POST /api/inhabit/renew': 'change',
    'POST /api/inhabit/leave': 'change',
    'POST /api/inhabit/release': 'change',
  },
  'past-open': {},
  'first-operator': {
    'GET /api/machine': 'heavy',
  },
  person: {
    'GET /api/account': 'read',
    'POST /api/account/sessions/end': 'change',
    'POST /api/account/terminal': 'change', // looks
    'GET /api/people': 'read',
    'POST /api/people/revoke': 'change',
  },
  'person-signed-in-lately': {
    'POST /api/account/password': 'change',
    'POST /api/account/passkeys': 'change',
    'POST /api/account/passkeys/made': 'change',
    'POST /api/account/passkeys/rename': 'change',
    'POST /api/account/passkeys/signing': 'act',
    'POST /api/account/passkeys/remove': 'change',
    'POST /api/account/identity': 'change',
    'POST /api/account/identity/returned': 'change',
    'POST /api/account/identity/remove': 'change',
    'POST /api/account/terminal/allow': 'change',
    'POST /api/people/invite': 'act',
    'POST /api/people/link': 'change',
    'POST /api/people/remove': 'change',
  },
}

export interface AuthorizedRoute {
  readonly method: string
  readonly path: string
  readonly caller: Caller
  readonly work: Work
}

/** The page's own routes. */
export const authorizedRoutes: readonly AuthorizedRoute[] = Object.entries(ROUTES).flatMap(
  ([caller, routes]) =>
    Object.entries(routes).map(([route, work]) => {
      const [method = '', path = ''] = route.split(' ')
      return { method, path, caller: caller as Caller, work }
    }),
)
