// Must be the first import: our content security policy forbids generated code, and the validator of the AG-UI client
// would try it as soon as its schemas are defined.
import { config } from "zod/v4/core";

config({ jitless: true });
