-- Keyed hash of the network that started the session: the sessions of one network share an allowance of requests.
alter table launch add network text;

-- Sessions whose launch tokens are refused although they have not expired. Looked up wherever the credential is checked.
create table ended_session (
  id uuid primary key,                 -- of a launch, or of a token that an admin minted
  expires timestamptz not null         -- from then on no token is good for it anyway
);
