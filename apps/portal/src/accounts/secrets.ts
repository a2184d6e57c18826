import { createHash, randomBytes } from 'node:crypto'

const SECRET_BYTES = 32
const SECRET = /^[A-Za-z0-9_-]{43}$/

/** 256 random bits as text for URLs, cookies and headers. */
export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url')

export const isSecret = (text: string | undefined): text is string => text !== undefined && SECRET.test(text)

/** Only this is stored. A hash without salt is enough: nobody can guess 256 random bits. */
export const hashOf = (secret: string): Buffer => createHash('sha256').update(secret, 'utf8').digest()
