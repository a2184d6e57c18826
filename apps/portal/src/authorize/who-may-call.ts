/** Who may call a route. What a route then shows and does, the gates decide for the being of who is signed in. */
export type Caller =
  /** everybody: no session is needed */
  | 'anybody'
  /** a signed-in person, in a tab of its own or in one that drives a being */
  | 'signed-in'
  /** whoever may look into the past of the being that the path names: the being, its makers, the first operator */
  | 'past-open'
  /** whoever may look into every past */
  | 'first-operator'
  /** a person in a tab of its own. Accounts belong to persons: a tab that drives a being neither shows nor changes one */
  | 'person'
  /** a person that signed in a short time ago: whoever found an open session changes nothing of how its person signs in */
  | 'person-signed-in-lately'

/** Every route of the portal, by who may call it. A route that is not listed answers nobody. */
const ROUTES: Readonly<Record<Caller, readonly string[]>> = {
  anybody: [
    'GET /api/open/ways',
    'POST /api/open/sign-in',
    'POST /api/open/link/look',
    'POST /api/open/link/use',
    'POST /api/open/link/passkey',
    'POST /api/open/link/passkey/made',
    'POST /api/open/passkey',
    'POST /api/open/passkey/used',
    'POST /api/open/provider',
    'POST /api/open/provider/returned',
    'GET /api/open/log/checkpoint',
    'GET /api/open/log/consistency',
  ],
  'signed-in': [
    'GET /api/session',
    'POST /api/sign-out',
    'GET /api/world',
    'GET /api/space',
    'GET /api/map',
    'GET /api/beings/:name',
    'GET /api/beings/:name/flow',
    'POST /api/beings/:name/cancel',
    'GET /api/inbox',
    'POST /api/inbox/reply',
    'POST /api/inbox/close',
    'GET /api/threads',
    'GET /api/threads/:id',
    'GET /api/threads/:id/overlay',
    'POST /api/threads/:id/overlay',
    'POST /api/verb',
    'POST /api/say',
    'GET /api/record',
    'GET /api/compared', // of one being as `past-open`, of all as `first-operator`: its query names the being
    'GET /api/live',
    'POST /api/live/streamed',
    'GET /api/use',
    'GET /api/roles',
    'GET /api/roles/:role',
    'POST /api/roles/check',
    'POST /api/flows/check',
    'GET /api/addresses',
    'GET /api/signals',
    'GET /api/reach',
    'GET /api/birth',
    'GET /api/overlays',
    'POST /api/overlays',
    'POST /api/overlays/delete',
    'POST /api/inhabit',
    'POST /api/inhabit/renew',
    'POST /api/inhabit/leave',
    'POST /api/inhabit/release',
  ],
  'past-open': [
    'GET /api/beings/:name/moments',
    'GET /api/beings/:name/moments/:n',
    'POST /api/beings/:name/moments/:n/why-not/role',
    'POST /api/beings/:name/what-if',
    'GET /api/beings/:name/budget',
  ],
  'first-operator': [
    'GET /api/health',
    'GET /api/machine',
    // Its answer quotes ceilings of makers and rules of spaces, and tells what is where, whoever may see that.
    'POST /api/beings/:name/moments/:n/why-not/act',
  ],
  person: [
    'GET /api/account',
    'POST /api/account/sessions/end',
    'GET /api/people',
    'POST /api/people/revoke',
  ],
  'person-signed-in-lately': [
    'POST /api/account/password',
    'POST /api/account/passkeys',
    'POST /api/account/passkeys/made',
    'POST /api/account/passkeys/rename',
    'POST /api/account/passkeys/remove',
    'POST /api/account/identity',
    'POST /api/account/identity/returned',
    'POST /api/account/identity/remove',
    'POST /api/people/invite',
    'POST /api/people/link',
    'POST /api/people/remove',
  ],
}

export interface AuthorizedRoute {
  readonly method: string
  readonly path: string
  readonly caller: Caller
}

export const authorizedRoutes: readonly AuthorizedRoute[] = Object.entries(ROUTES).flatMap(
  ([caller, routes]) =>
    routes.map((route) => {
      const [method = '', path = ''] = route.split(' ')
      return { method, path, caller: caller as Caller }
    }),
)
