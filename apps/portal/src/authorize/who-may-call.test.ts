import { expect, it } from 'vitest'
import { authorizedOperations, operationsAround } from '../app.ts'
import type { Portal } from '../portal.ts'
import { listRoutes } from '../route-list.ts'
import { authorizedRoutes } from './who-may-call.ts'

it('the list of who may call what names every route of the router, once, and nothing else', () => {
  const portal = { at: {}, temporal: {}, machine: {} } as unknown as Portal
  const ofRouter = listRoutes(portal).map(({ method, path }) => `${method} ${path}`)
  const known = [...authorizedRoutes, ...authorizedOperations(operationsAround({ portal } as never))]
  const listed = known.map(({ method, path }) => `${method} ${path}`)
  expect(listed.toSorted()).toEqual(ofRouter.toSorted())
  expect(known.filter(({ caller, work }) => caller === undefined || work === undefined)).toEqual([])
})
