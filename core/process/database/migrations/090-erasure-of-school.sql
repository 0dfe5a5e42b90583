-- The school that asked for an erasure, which is told what the studio decides; null: the learner itself asked.
alter table erasure_request add school int references studio on delete set null;
