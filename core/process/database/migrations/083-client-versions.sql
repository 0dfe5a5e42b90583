-- The client that a learner used last, with its version, as its statements tell; empty: they tell none; null: they came
-- before this migration.
alter table learner_seen add client text;
