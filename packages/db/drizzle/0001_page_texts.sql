-- How page texts are kept out of line: compressed with lz4, or, where the server has none, as they are. The old default, pglz, costs
-- more than all the rest of a save (1.2 ms of Postgres CPU per page of 20 KB texts, against 0.75 ms uncompressed).
DO $$
BEGIN
  ALTER TABLE pages
    ALTER COLUMN markdown SET COMPRESSION lz4,
    ALTER COLUMN text SET COMPRESSION lz4,
    ALTER COLUMN links SET COMPRESSION lz4,
    ALTER COLUMN metadata SET COMPRESSION lz4;
  ALTER TABLE chunks ALTER COLUMN text SET COMPRESSION lz4;
EXCEPTION
  WHEN feature_not_supported OR invalid_parameter_value THEN
    ALTER TABLE pages
      ALTER COLUMN markdown SET STORAGE EXTERNAL,
      ALTER COLUMN text SET STORAGE EXTERNAL,
      ALTER COLUMN links SET STORAGE EXTERNAL,
      ALTER COLUMN metadata SET STORAGE EXTERNAL;
    ALTER TABLE chunks ALTER COLUMN text SET STORAGE EXTERNAL;
END
$$;
