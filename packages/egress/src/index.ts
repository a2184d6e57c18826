/** How a process reaches other machines over HTTP. */
export { agentOptionsFor } from './agent.ts'
export { egressFetch } from './fetch.ts'
export { outsideFetch } from './outside-fetch.ts'
export { proxyResolves, toldPastProxy, whyPastProxy } from './proxy.ts'
export { type ArrivingAnswer, arrivingOf, egressRequest } from './request.ts'
