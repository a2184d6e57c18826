/** Of one message, whichever way it comes. */
export const MESSAGE_BYTES_MAX = 1024 * 1024
