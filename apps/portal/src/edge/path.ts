import { getPath } from 'hono/utils/url'

/**
 * The path of a request, with one slash where a client wrote several: many put `/chat/completions` behind a
 * base that ends with a slash.
 */
export const pathOf = (request: Request): string => getPath(request).replace(/\/{2,}/g, '/')
