/** Error of a call; `code` is the service's stable code, such as `NOT_FOUND`. */
export class MnemosceneError extends Error {
  override name = "MnemosceneError";

  constructor(
    message: string,
    readonly code: string = "INTERNAL",
  ) {
    super(message);
  }
}

/** The named element does not exist. */
export class NotFound extends MnemosceneError {
  override name = "NotFound";
}

/** The call is invalid; nothing was written. */
export class BadInput extends MnemosceneError {
  override name = "BadInput";
}

/** The call contradicts what is stored, for example another version of an item. */
export class Conflict extends MnemosceneError {
  override name = "Conflict";
}

/** The key is missing or wrong, lacks a role or tenant, or the tenant is in quarantine. */
export class Denied extends MnemosceneError {
  override name = "Denied";
}

/** The service does not answer or is busy; a call without side effects was tried again already. */
export class Unavailable extends MnemosceneError {
  override name = "Unavailable";

  constructor(
    message: string,
    code = "UNAVAILABLE",
    readonly retryAfterS?: number,
  ) {
    super(message, code);
  }
}

const CLASSES: Record<string, typeof MnemosceneError> = {
  NOT_FOUND: NotFound,
  BAD_INPUT: BadInput,
  INVALID_URI: BadInput,
  TOO_COSTLY: BadInput,
  CONFLICT: Conflict,
  UNAUTHORIZED: Denied,
  FORBIDDEN: Denied,
  QUARANTINED: Denied,
};

/** Return the error for a code of the service. */
export function errorOf(code: string, message: string, retryAfterS?: number): MnemosceneError {
  if (code === "UNAVAILABLE" || code === "RATE_LIMITED") return new Unavailable(message, code, retryAfterS);
  return new (CLASSES[code] ?? MnemosceneError)(message, code);
}
