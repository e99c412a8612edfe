-- Dagster's records and the factory's store are apart: their tables are not each other's, and so are their backups.
create database toolscale;
